# A tool server made with FastMCP, from PyPI. Sourced by ../start.

need_environment fastmcp
ready=$BASE/.well-known/oauth-authorization-server
launch env -C "$folder" PYTHONUNBUFFERED=1 "$environment/bin/python" "$providers_folder/fastmcp/server.py"
