"""Addresses of the panel's pages."""

from django.urls import include, path

from backend.panel import activity_views, ledger_views, linking, mailing, standing, views

of_an_expert = [
    path("link/", linking.show_link, name="show-link"),
    path("new-link/", linking.new_link, name="new-link"),
    path("revoke/", linking.revoke, name="revoke"),
    path("invitation/", mailing.send_invitation, name="send-invitation"),
    path("reminder/", mailing.remind, name="remind"),
    path("part/", standing.show_part, name="expert-part"),
    path("withdraw/", standing.withdraw, name="withdraw-expert"),
    path("restore/", standing.restore, name="restore-expert"),
    path("group/", standing.assign_group, name="expert-group"),
    path("replace/", standing.replace, name="replace-expert"),
    path("delete/", views.delete_expert, name="delete-expert"),
]

urlpatterns = [
    path("<slug:slug>/ledger/", ledger_views.show_ledger, name="ledger"),
    path("<slug:slug>/ledger/figures/", ledger_views.figures, name="ledger-figures"),
    path("<slug:slug>/ledger/care/", ledger_views.show_care, name="care"),
    path("<slug:slug>/ledger/raise/", ledger_views.raise_places, name="raise-places"),
    path("<slug:slug>/ledger/remind/<slug:which>/", mailing.remind_these, name="remind-these"),
    path("<slug:slug>/activity/", activity_views.activity, name="activity"),
    path("<slug:slug>/panel/", views.panel, name="panel"),
    path("<slug:slug>/panel/invite/", views.invite, name="invite"),
    path("<slug:slug>/panel/invite-many/", views.invite_many, name="invite-many"),
    path("<slug:slug>/panel/links.csv", linking.links_file, name="links-file"),
    path("<slug:slug>/panel/open-links/", linking.new_open_link, name="new-open-link"),
    path("<slug:slug>/panel/open-links/<int:key>/", linking.show_open_link, name="open-link"),
    path(
        "<slug:slug>/panel/open-links/<int:key>/stop/",
        linking.stop_open_link,
        name="stop-open-link",
    ),
    path("<slug:slug>/panel/remind-all/", mailing.remind_all, name="remind-all"),
    path("<slug:slug>/panel/message/", mailing.write_to_panel, name="write-to-panel"),
    path("<slug:slug>/panel/rules/", mailing.set_rules, name="panel-rules"),
    path("<slug:slug>/panel/letters/<int:key>/again/", mailing.send_again, name="send-again"),
    path("<slug:slug>/panel/<str:code>/", include(of_an_expert)),
]
