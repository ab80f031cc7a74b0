"""Make the first requester, or anybody else, from the command line."""

import secrets
from typing import Any

from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.flow import enrolling
from annotation.flow.refusal import Refused
from annotation.management.door import Door, project_of, words
from annotation.models import Member, User, Worker


class Command(Door):
    help = "Make an account with a role in the project. Without --password a random one is printed."

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
        except ValidationError as unfit:
            raise Refused(" ".join(unfit.messages)) from None
        if User.objects.filter(username__iexact=name).exists():
            raise Refused(f"There is an account {name} already.")
        user.set_password(password)
        user.save()
        project = project_of(options)
        if role == "annotator":
            Worker.objects.create(project=project, user=user)
        else:
            enrolling.enter(project, user, role)
        return {"username": name, "password": password, "role": role}
