/* Does the same as `yett token` in a dynamically linked C program: sends one request to the agent's socket and prints the token.
 *
 * client SOCKET STORE CONFIGURATION SESSION */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **arguments) {
    if (count != 5) return 64;
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0) return 1;
    char request[4096], answer[65536], body[1024];
    int length = snprintf(body, sizeof body, "{\"session\":\"%s\"}", arguments[4]);
    length = snprintf(
        request, sizeof request,
        "POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: %s\r\nYett-Configuration: %s\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
        arguments[2], arguments[3], length, body);
    if (write(connection, request, length) != length) return 1;
    size_t got = 0;
    for (ssize_t part; got < sizeof answer - 1 && (part = read(connection, answer + got, sizeof answer - 1 - got)) > 0;) got += part;
    answer[got] = 0;
    if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0) return 1;
    char *token = strstr(answer, "\"token\":\"");
    if (token == NULL) return 1;
    token += 9;
    char *end = strchr(token, '"');
    if (end == NULL) return 1;
    *end = '\n';
    return write(1, token, end - token + 1) == end - token + 1 ? 0 : 1;
}
