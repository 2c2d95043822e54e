"""Staff accounts are kept by an admin; nothing else of Blindverse is in Django's admin."""

from typing import cast

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from backend.accounts import services
from backend.accounts.models import User

admin.site.site_header = "Blindverse: staff accounts"
admin.site.unregister(Group)


@admin.register(User)
class StaffAdmin(UserAdmin):  # type: ignore[type-arg]  # not generic at run time
    """Accounts with their role."""

    list_display = ("username", "email", "role", "is_active")
    list_filter = ("role", "is_active")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("May", {"fields": ("role", "is_active")}),
    )
    add_fieldsets = (
        (None, {"classes": ("wide",), "fields": ("username", "password1", "password2", "role")}),
    )

    def save_model(
        self, request: HttpRequest, obj: User, form: "ModelForm[User]", change: bool
    ) -> None:
        services.keep(obj, by=_who(request))

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        services.remove(obj, by=_who(request))

    def delete_queryset(self, request: HttpRequest, queryset: "QuerySet[User]") -> None:
        for account in queryset:
            services.remove(account, by=_who(request))


def _who(request: HttpRequest) -> User:
    # Nobody else comes past the site's own gate, and every user is of this model.
    return cast("User", request.user)
