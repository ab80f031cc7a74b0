"""Create an account."""

import secrets
from typing import Any

from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.flow.errors import Refused
from annotation.flow.people import members
from annotation.management.json_command import JSONCommand, project_of, words
from annotation.models import Member, User, Worker


class Command(JSONCommand):
    help = "Create an account with a role in the project. Without --password a random one is printed."

    def add(self, parser: Any) -> None:
        parser.add_argument("username", type=words(150))
        parser.add_argument("--role", choices=[*Member.Role.values, "annotator"], default=Member.Role.OWNER)
        parser.add_argument("--password", type=words(4096))

    @transaction.atomic
    def act(self, **options: Any) -> dict[str, Any]:
        name, role = options["username"], options["role"]
        password = options["password"] or secrets.token_urlsafe(12)
        user = User(username=name)
        try:
            User.username_validator(name)
            password_validation.validate_password(password, user)
        except ValidationError as invalid:
            raise Refused(" ".join(invalid.messages)) from None
        if User.objects.named(name):
            raise Refused(f"The account {name} already exists.")
        user.set_password(password)
        user.save()
        project = project_of(options)
        if role == "annotator":
            Worker.objects.create(project=project, user=user)
        else:
            members.add_member(project, user, role)
        return {"username": name, "password": password, "role": role}
