"""``manage.py add_staff``: a coordinator, researcher or admin account."""

import getpass
import os
from typing import Any

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError, CommandParser

from backend.accounts.models import User
from backend.accounts.services import staff

PASSWORD = "BLINDVERSE_STAFF_PASSWORD"  # noqa: S105  (a variable's name)


class Command(BaseCommand):
    help = (
        "Makes a staff account. A coordinator builds studies and invites experts, without seeing "
        "authorship; a researcher also sees poems with their authors, unseals studies and reads "
        f"results; an admin keeps accounts too. Asks for a password, or takes it from {PASSWORD}. "
        "Example: manage.py add_staff ada --role researcher"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", help="The name to sign in with.")
        parser.add_argument("--role", choices=User.Role.values, required=True, help="Required.")

    def handle(self, *args: Any, **options: Any) -> None:
        if User.objects.filter(username=options["username"]).exists():
            raise CommandError(f"There is an account named {options['username']} already.")
        password = os.environ.get(PASSWORD) or getpass.getpass("Password: ")
        try:
            validate_password(password, User(username=options["username"]))
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        user = staff(options["username"], User.Role(options["role"]), password=password)
        self.stdout.write(f"{user.username} can sign in as {user.get_role_display()}.")
