# The tool server of ../mcp with sessions, streams and an event store. Sourced by ../start.

need_environment mcp
ready=$BASE/.well-known/oauth-authorization-server
launch env -C "$folder" PYTHONUNBUFFERED=1 SESSIONS=streams "$environment/bin/python" "$providers_folder/mcp/server.py"
