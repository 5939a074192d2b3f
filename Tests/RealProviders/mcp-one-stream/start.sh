# The tool server of ../mcp with the protocol of 2024-11-05. Sourced by ../start.

need_environment mcp
ready=$BASE/.well-known/oauth-authorization-server
launch env -C "$folder" PYTHONUNBUFFERED=1 SESSIONS=one-stream "$environment/bin/python" "$providers_folder/mcp/server.py"
