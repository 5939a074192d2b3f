"""The toolkit's pages, and the two pages that a site must provide: sign-in and sign-up."""

from django import forms
from django.contrib.auth import get_user_model, login
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.views import LoginView
from django.shortcuts import redirect, render
from django.urls import include, path
from django.utils.http import url_has_allowed_host_and_scheme


class SignUp(UserCreationForm):
    email = forms.EmailField()

    class Meta(UserCreationForm.Meta):
        model = get_user_model()
        fields = ("username", "email")


def sign_up(request):
    target = request.POST.get("next") or request.GET.get("next", "")
    form = SignUp(request.POST or None)
    if request.method == "POST" and form.is_valid():
        login(request, form.save())
        is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()})
        return redirect(target if is_ours else "/")
    return render(request, "registration/signup.html", {"form": form, "next": target})


urlpatterns = [
    path("login/", LoginView.as_view()),
    path("signup/", sign_up),
    path("", include("oauth2_provider.urls", namespace="oauth2_provider")),
]
