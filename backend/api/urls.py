"""Addresses of the staff API, of its documents, and of the page of tokens."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from backend.api.views import (
    corpus,
    documents,
    generation,
    hooks,
    instruments,
    language_models,
    ledger,
    letters,
    log,
    open_links,
    opening,
    panel,
    results,
    studies,
    tokens,
    unsealing,
)
from backend.api.views.base import Unknown

of_poems = [
    path("collections/", corpus.Collections.as_view(), name="api-collections"),
    path("collections/import/", corpus.Import.as_view(), name="api-import"),
    path("collections/<int:pk>/", corpus.CollectionDetail.as_view(), name="api-collection"),
    path("collections/<int:pk>/poems/", corpus.Poems.as_view(), name="api-poems"),
    path("poems/<int:pk>/", corpus.PoemDetail.as_view(), name="api-poem"),
    path("providers/", language_models.Providers.as_view(), name="api-providers"),
    path("providers/<int:pk>/", language_models.ProviderDetail.as_view(), name="api-provider"),
    path("language-models/", language_models.LanguageModels.as_view(), name="api-models"),
    path(
        "language-models/<int:pk>/",
        language_models.LanguageModelDetail.as_view(),
        name="api-model",
    ),
    path("runs/", generation.Runs.as_view(), name="api-runs"),
    path("runs/estimate/", generation.RunEstimate.as_view(), name="api-run-estimate"),
    path("runs/<int:pk>/", generation.RunDetail.as_view(), name="api-run"),
    path("runs/<int:pk>/progress/", generation.RunProgress.as_view(), name="api-run-progress"),
    path("runs/<int:pk>/poems/", generation.RunPoems.as_view(), name="api-run-poems"),
    path("runs/<int:pk>/retry/", generation.RunRetry.as_view(), name="api-run-retry"),
    path("runs/<int:pk>/pause/", generation.RunPause.as_view(), name="api-run-pause"),
    path("runs/<int:pk>/resume/", generation.RunResume.as_view(), name="api-run-resume"),
    path("runs/<int:pk>/cancel/", generation.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<int:pk>/cap/", generation.RunCap.as_view(), name="api-run-cap"),
    path("runs/<int:pk>/models/", generation.RunModels.as_view(), name="api-run-models"),
]

of_an_expert = [
    path("", panel.ExpertDetail.as_view(), name="api-expert"),
    path("link/", panel.ExpertLink.as_view(), name="api-link"),
    path("invitation/", letters.Invitation.as_view(), name="api-invitation"),
    path("withdraw/", ledger.Withdraw.as_view(), name="api-withdraw"),
    path("restore/", ledger.Restore.as_view(), name="api-restore"),
    path("replace/", ledger.Replace.as_view(), name="api-replace"),
    path("reminder/", letters.Reminder.as_view(), name="api-reminder"),
]

of_a_study: list[URLPattern | URLResolver] = [
    path("", studies.StudyDetail.as_view(), name="api-study"),
    path("items/", studies.Items.as_view(), name="api-items"),
    path("progress/", studies.Progress.as_view(), name="api-progress"),
    path("consent/", studies.Consent.as_view(), name="api-consent"),
    path("checklist/", opening.Checklist.as_view(), name="api-checklist"),
    path("surface/", opening.Surface.as_view(), name="api-surface"),
    path("pilot/", opening.Pilot.as_view(), name="api-pilot"),
    path("versions/", opening.Versions.as_view(), name="api-versions"),
    path("open/", opening.Open.as_view(), name="api-open"),
    path("close/", studies.Close.as_view(), name="api-close"),
    path("unsealing/", unsealing.Unsealing.as_view(), name="api-unsealing"),
    path("places/", ledger.Places.as_view(), name="api-places"),
    path("ledger/", ledger.Ledger.as_view(), name="api-ledger"),
    path("panel/", panel.Experts.as_view(), name="api-experts"),
    # The code of an expert stands where the log knows to cut it out.
    path("panel/<slug:code>/", include(of_an_expert)),
    path("invitations/", panel.InviteMany.as_view(), name="api-invite-many"),
    path("reminders/", letters.Reminders.as_view(), name="api-reminders"),
    path("messages/", letters.Messages.as_view(), name="api-messages"),
    path("letters/", letters.Letters.as_view(), name="api-letters"),
    path("letters/<int:pk>/again/", letters.LetterAgain.as_view(), name="api-letter-again"),
    path("rules/", letters.Rules.as_view(), name="api-rules"),
    path("open-links/", open_links.OpenLinks.as_view(), name="api-open-links"),
    path("open-links/<int:pk>/", open_links.OpenLinkDetail.as_view(), name="api-open-link"),
    path("hooks/", hooks.Hooks.as_view(), name="api-hooks"),
    path("hooks/<int:pk>/", hooks.HookDetail.as_view(), name="api-hook"),
    path("hooks/<int:pk>/stop/", hooks.StopHook.as_view(), name="api-hook-stop"),
    path("hooks/<int:pk>/start/", hooks.StartHook.as_view(), name="api-hook-start"),
    path("hooks/<int:pk>/ping/", hooks.PingHook.as_view(), name="api-hook-ping"),
    path("deliveries/", hooks.Deliveries.as_view(), name="api-deliveries"),
    path("deliveries/<int:pk>/again/", hooks.DeliverAgain.as_view(), name="api-deliver-again"),
    path("looks/", results.Looks.as_view(), name="api-looks"),
    path("results/", results.Results.as_view(), name="api-results"),
    path("results/<slug:key>.csv", results.ResultTable.as_view(), name="api-table"),
    path("export/", results.Export.as_view(), name="api-export"),
]

of_studies: list[URLPattern | URLResolver] = [
    path("choices/", studies.Choices.as_view(), name="api-choices"),
    path("studies/", studies.Studies.as_view(), name="api-studies"),
    path("studies/<slug:slug>/", include(of_a_study)),
    path("instruments/", instruments.Instruments.as_view(), name="api-instruments"),
    path("instruments/<slug:key>/", instruments.InstrumentDetail.as_view(), name="api-instrument"),
    path(
        "instruments/<slug:key>/versions/",
        instruments.InstrumentVersions.as_view(),
        name="api-instrument-versions",
    ),
]

urlpatterns = [
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.revoke_token, name="revoke-token"),
    path("api/v1/schema/", documents.Schema.as_view(), name="api-schema"),
    path("api/v1/docs/", documents.docs, name="api-docs"),
    path("api/v1/", include(of_poems)),
    path("api/v1/", include(of_studies)),
    path("api/v1/log/", log.Log.as_view(), name="api-log"),
    re_path(r"^api/v1/", Unknown.as_view(), name="api-unknown"),
]
