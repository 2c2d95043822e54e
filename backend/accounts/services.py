"""Staff accounts are made and changed here, and the log keeps what each may."""

from django.db import transaction

from annotation.activity.services import Kind, record
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
    made = User.objects.create_user(
        username, password=password, role=role, is_staff=admin, is_superuser=admin
    )
    _record(made, before="", after=_may(made))
    return made


@transaction.atomic
def keep(account: User, *, by: User) -> None:
    """Store an account as an admin left it."""
    # Who may enter the admin's site follows from the role, so that the two cannot differ.
    account.is_staff = account.is_superuser = account.role == User.Role.ADMIN
    stored = User.objects.filter(pk=account.pk).first()
    account.save()
    before = _may(stored) if stored else ""
    if before != _may(account):
        _record(account, before=before, after=_may(account), by=by)


@transaction.atomic
def remove(account: User, *, by: User) -> None:
    """Delete an account that nothing rests on.

    Raises
    ------
    django.db.models.ProtectedError
        If something was done in its name.
    """
    _record(account, before=_may(account), after="", by=by)
    account.delete()


def _may(account: User) -> str:
    """Return what an account may do, in one word."""
    return account.role if account.is_active else "nothing"


def _record(account: User, *, before: str, after: str, by: User | None = None) -> None:
    record(
        Kind.ROLE_CHANGED, actor=by.username if by else "", account=account.username,
        before=before, after=after,
    )  # fmt: skip
