"""Receives offers with Django, in one file: python django_app.py runserver --noreload 3000."""

import sys

from call_transfer.webhooks import WebhookHandler
from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from offers import decide, secrets

settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"])
handler = WebhookHandler(secret=secrets, on_event=decide)


@csrf_exempt
def offers(request: HttpRequest) -> HttpResponse:
    """Passes the raw body on, which is what is signed. The signature takes the place of the token against CSRF."""
    answer = handler.handle(
        request.body, request.headers, method=request.method or ""
    )
    return HttpResponse(
        answer.body or b"", status=answer.status, headers=dict(answer.headers)
    )


urlpatterns = [path("offers", offers)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
