"""pages.py TEMPLATE TARGET: writes the configuration of Glewlwyd's own pages, in English and with its sign-up page."""

import json
import sys

with open(sys.argv[1]) as file:
    configuration = json.load(file)
configuration["lang"] = ["en"]
configuration["register"] = [{"name": "register", "message": "login.register-link"}]
configuration["register-complete"] = [
    {"name": "register", "complete-link": "", "complete-link-label": "profile.register-complete-link"}
]
with open(sys.argv[2], "w") as file:
    json.dump(configuration, file)
