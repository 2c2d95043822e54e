"""Staff accounts are made here: by command, and for the demo."""

from django.db import transaction

from backend.accounts.models import User


@transaction.atomic
def staff(username: str, role: User.Role, *, password: str | None = None) -> User:
    """Return the member of staff of that name, made with that role if there is none.

    Without a password the account cannot sign in by password.
    """
    found = User.objects.filter(username=username).first()
    if found is not None:
        return found
    admin = role == User.Role.ADMIN
    return User.objects.create_user(
        username, password=password, role=role, is_staff=admin, is_superuser=admin
    )
