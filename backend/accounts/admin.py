"""Staff accounts are kept by an admin; nothing else of Blindverse is in Django's admin."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.forms import ModelForm
from django.http import HttpRequest

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
        # Who may enter this site follows from the role, so that the two cannot differ.
        obj.is_staff = obj.is_superuser = obj.role == User.Role.ADMIN
        super().save_model(request, obj, form, change)
