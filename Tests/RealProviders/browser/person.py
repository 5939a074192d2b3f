#!/usr/bin/env python3
"""Simulates a user at a browser: opens a URL in headless Chromium, and signs in, consents or signs up as the pages ask.

For use as $BROWSER: it goes to the background immediately, so that the caller can continue. It is finished when the provider has
redirected it to the program's own URL: the `redirect_uri` of the URL, or, if a pushed request hides that, any URL outside the provider.
With --code it is finished when the provider has accepted the device code; with --log-out, when the page after the last question is
loaded. The log contains what it saw and did, without secrets. If it gets stuck, it saves a screenshot and the source of the last page
next to the log.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import (
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
    WebDriverException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

# Selectors for the controls on the pages of the known providers. The sandbox's come first.
USERNAME = "#username, input[name=username], input[name=login]"
PASSWORD = "#password, input[type=password]"
SIGN_IN = "#login[type=submit], button#login, #loginbut, form#loginform button[type=submit], form#passwordform button[type=submit]"
ALLOW = "#allow, #accept, input[type=submit][name=allow], button[name=action][value=accept]"
DENY = "#deny, form#authorizationForm input[type=submit]:not([name=allow])"
SIGN_UP = "#signup, form.profile-form button[type=submit][name=action]"
LOG_OUT = "#logout, button[name=answer][value=logout], form#authorizationForm input[type=submit][name=allow]"
TO_SIGN_UP = "#to-signup"
GRANT_BOXES = "input[type=checkbox][id^=grant-]"
DEVICE_CODE = "input[name=user_code], #user_code, input[type=text][maxlength='9']"
TAKE_CODE = "form button[type=submit], button.btn-primary.btn-icon"
# The URL at which the user's part in a device sign-in is complete.
DEVICE_DONE = re.compile(r"/device-grant-status/|[?&]prompt=deviceComplete")


class StuckError(Exception):
    """The pages offer no next step before the time limit."""


class Person:
    """A simulated user with credentials, who acts on each page."""

    def __init__(self, options, driver, say):
        self.options = options
        self.driver = driver
        self.say = say
        self.target = target_of(options.url)
        self.confirmed_at = None
        self.boxes_seen = 0
        self.last_state, self.unchanged_since = None, 0

    def go(self):
        """Opens the URL and acts on each page until the final page is reached."""
        deadline = time.monotonic() + self.options.limit
        self.driver.get(self.options.url)
        acted_on = {}
        while not self.has_arrived():
            if time.monotonic() > deadline:
                raise StuckError("the time is up")
            page = self.page()
            if acted_on.get(page, 0) < 2:
                try:
                    if self.act():
                        acted_on[page] = acted_on.get(page, 0) + 1
                except (StaleElementReferenceException, ElementNotInteractableException):
                    pass  # the page changed during the action: check again
            # A form that is sent twice may be refused, so a busy server gets time to answer.
            self.wait_for_another(page, min(deadline, time.monotonic() + 10))
        self.say(f"arrived at {self.driver.current_url.split('?')[0]}: {self.text()[:200]!r}")

    def has_arrived(self):
        return self.is_at_the_end(self.driver.current_url) and self.driver.execute_script("return document.readyState") == "complete"

    def is_at_the_end(self, address):
        if self.options.code:
            return DEVICE_DONE.search(address) is not None
        if self.options.log_out and self.target is None:
            return self.confirmed_at not in (None, address)
        url = urllib.parse.urlsplit(address)
        if self.target is None:
            return url.scheme.startswith("http") and url.netloc != urllib.parse.urlsplit(self.options.url).netloc
        return f"{url.scheme}://{url.netloc}{url.path}" == self.target

    def page(self):
        """Returns what distinguishes a page from the next one: its URL and its enabled controls."""
        controls = self.driver.execute_script(
            """return [...document.querySelectorAll('input, button')].filter(e => e.offsetParent && !e.disabled)
                   .map(e => e.id + '/' + e.name + '/' + (e.textContent || '').trim()).join()"""
        )
        return self.driver.current_url, controls

    def wait_for_another(self, page, until):
        while time.monotonic() < until and not self.has_arrived():
            try:
                if self.page() != page:
                    return
            except WebDriverException:
                pass  # between two pages
            time.sleep(0.05)

    def act(self):
        """Performs the action that this page asks for. Returns False if there is none, such as while it still loads."""
        if self.options.sign_up and (self.sign_up() or self.press(TO_SIGN_UP, "go to the sign-up page")):
            return True
        if self.press(f"#account-{self.options.user}", "choose the account"):
            return True
        if self.sign_in() or self.type_code() or self.grant():
            return True
        if self.options.log_out and self.visible(LOG_OUT) is not None:
            self.confirmed_at = self.driver.current_url
            return self.press(LOG_OUT, "confirm to sign out")
        wanted, word = (DENY, "refuse") if self.options.deny else (ALLOW, "consent")
        return self.press(wanted, word)

    def sign_up(self):
        button = self.visible(SIGN_UP)
        if button is None:
            return False
        known = {
            "user": self.options.user, "login": self.options.user, "email": f"{self.options.user}@example.org",
            "given": "New", "family": "Person", "last_name": "Person", "first_name": "New", "name": "New Person",
        }
        filled = []
        for field in self.driver.find_elements(By.CSS_SELECTOR, "input"):
            name = (field.get_attribute("name") or field.get_attribute("id") or "").lower()
            if not field.is_displayed() or field.get_attribute("type") not in ("text", "email", "password"):
                continue
            value = self.options.password if field.get_attribute("type") == "password" else None
            if value is None:
                value = next((known[part] for part in known if part in name), None)
            if value is not None:
                self.write(field, value)
                filled.append(name)
        if not filled:
            return False
        self.say(f"sign up with {', '.join(filled)}")
        button.click()
        return True

    def sign_in(self):
        fields = [("user name", self.visible(USERNAME), self.options.user), ("password", self.visible(PASSWORD), self.options.password)]
        fields = [field for field in fields if field[1] is not None]
        button = self.visible(SIGN_IN)
        if not fields or button is None:
            return False
        for _, field, value in fields:
            self.write(field, value)
        self.say(f"sign in with {' and '.join(name for name, _, _ in fields)}")
        button.click()
        return True

    def type_code(self):
        """Types the device code on the page that asks for it."""
        field = self.visible(DEVICE_CODE) if self.options.code else None
        if field is None:
            return False
        self.write(field, self.options.code)
        # The button is disabled until the code is complete.
        button = self.visible(TAKE_CODE)
        if button is None:
            return False
        self.say("type the code")
        button.click()
        return True

    def grant(self):
        """Consents at Glewlwyd: checks the boxes, and presses "Grant access" or "Continue"."""
        boxes = self.driver.find_elements(By.CSS_SELECTOR, GRANT_BOXES)
        if boxes:
            # A script builds the page: a box may still be missing, or a click may have no handler yet.
            if len(boxes) != self.boxes_seen:
                self.boxes_seen = len(boxes)
                return False
            if not (button := self.button("Grant access")):
                return False
            for box in boxes:
                if not box.is_selected():
                    box.click()
            if not all(box.is_selected() for box in boxes):
                return False
            self.say(f"grant {', '.join(box.get_attribute('id').removeprefix('grant-') for box in boxes)}")
            button.click()
            return True
        button = self.button("Continue")
        if button is None or self.visible(SIGN_IN) is not None or self.options.deny:
            return False
        # The page has this button before it knows which boxes it needs.
        if not self.is_settled("/auth/grant/"):
            return False
        self.say("continue")
        button.click()
        return True

    def is_settled(self, request):
        """Returns whether the page has the response to a request, and has not changed since the last look, half a second ago or earlier."""
        state = self.driver.execute_script(
            """return [performance.getEntriesByType('resource').map(e => e.name).join(), document.documentElement.outerHTML.length]"""
        )
        now = time.monotonic()
        if state != self.last_state:
            self.last_state, self.unchanged_since = state, now
        return request in state[0] and now - self.unchanged_since >= 0.5

    def press(self, selector, word):
        button = self.visible(selector)
        if button is None:
            return False
        self.say(word)
        button.click()
        return True

    def visible(self, selector):
        for element in self.driver.find_elements(By.CSS_SELECTOR, selector):
            if element.is_displayed() and element.is_enabled():
                return element
        return None

    def button(self, label):
        for element in self.driver.find_elements(By.CSS_SELECTOR, "button[type=button]"):
            if element.is_displayed() and element.is_enabled() and element.text.strip() == label:
                return element
        return None

    def write(self, field, value):
        field.clear()
        field.send_keys(value)

    def text(self):
        try:
            return " ".join(self.driver.find_element(By.TAG_NAME, "body").text.split())
        except NoSuchElementException:
            return ""


def target_of(url):
    """Returns the final redirect target; None if the URL does not contain it, as with a pushed request."""
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    return query.get("redirect_uri") or query.get("post_logout_redirect_uri")


def without_secrets(url):
    return re.sub(r"[?#].*", "", url)


def chromium(profile):
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        raise SystemExit("chromium and chromedriver must be installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--window-size=1000,900"):
        options.add_argument(word)
    options.add_argument(f"--user-data-dir={profile}")
    # The browser does not use the tests' clean environment; it needs a writable home of its own.
    service = Service(driver, env={"PATH": os.environ.get("PATH", os.defpath), "HOME": profile, "LANG": "C.UTF-8"})
    return webdriver.Chrome(options=options, service=service)


def leave_the_caller():
    """Detaches from the caller: continues in a new session, with standard input and output at /dev/null."""
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--user", default="ada")
    parser.add_argument("--password", default="correct horse battery staple", help="not a secret: these people exist in tests alone")
    parser.add_argument("--deny", action="store_true", help="refuse where consent is asked")
    parser.add_argument("--sign-up", action="store_true", help="make an account first")
    parser.add_argument("--log-out", action="store_true", help="confirm where the provider asks whether to sign out")
    parser.add_argument("--code", help="what to type where a page asks for the code that a device shows")
    parser.add_argument("--profile", help="a folder that keeps cookies from one time to the next")
    parser.add_argument("--limit", type=float, default=240, help="seconds until it gives up")
    parser.add_argument("--log", help="a file that tells what it did")
    parser.add_argument("--stay", action="store_true", help="do not go to the background")
    parser.add_argument("url")
    return parser.parse_args()


def main():
    options = arguments()
    if not options.stay:
        leave_the_caller()
    log = open(options.log, "a", buffering=1) if options.log else sys.stderr
    started = time.monotonic()

    def say(words):
        print(f"{time.monotonic() - started:6.2f} {words}", file=log)

    with tempfile.TemporaryDirectory(prefix="yett-browser-", ignore_cleanup_errors=True) as folder:
        driver = chromium(options.profile or folder)
        try:
            say(f"open {without_secrets(options.url)}")
            person = Person(options, driver, say)
            person.go()
            return 0
        except (StuckError, WebDriverException) as problem:
            say(f"stuck at {without_secrets(driver.current_url)}: {str(problem).splitlines()[0]}")
            if options.log:
                driver.save_screenshot(options.log + ".png")
                with open(options.log + ".html", "w") as page:
                    page.write(driver.page_source)
            return 1
        finally:
            driver.quit()


if __name__ == "__main__":
    sys.exit(main())
