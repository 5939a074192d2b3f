# A tool server made with the official MCP SDK for Python, from PyPI. Sourced by ../start.

need_environment mcp
ready=$BASE/.well-known/oauth-authorization-server
launch env -C "$folder" PYTHONUNBUFFERED=1 "$environment/bin/python" "$providers_folder/mcp/server.py"
