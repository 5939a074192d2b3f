/* Does the same as the launcher in a dynamically linked C program: sends one request to the agent's socket and prints the answer.
 *
 * client SOCKET STORE CONFIGURATION SESSION              as yett token SESSION
 * client SOCKET STORE CONFIGURATION run ARGUMENT...      as yett ARGUMENT..., with standard input if the last argument is "get" */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char request[16384], answer[65536], body[8192];

/* Appends text as a JSON string; knows no escapes but line breaks, which is enough here. */
static int quote(char *target, const char *text) {
    char *end = target;
    *end++ = '"';
    for (; *text != 0; text++) {
        if (*text == '\n') *end++ = '\\';
        *end++ = *text == '\n' ? 'n' : *text;
    }
    *end++ = '"';
    return end - target;
}

static int command(int count, char **arguments) {
    char input[2048] = "";
    if (strcmp(arguments[count - 1], "get") == 0) {
        ssize_t got = read(0, input, sizeof input - 1);
        input[got < 0 ? 0 : got] = 0;
    }
    int length = sprintf(body, "{\"arguments\":[");
    for (int index = 0; index < count; index++) {
        if (index > 0) body[length++] = ',';
        length += quote(body + length, arguments[index]);
    }
    length += sprintf(body + length, "],\"input\":");
    length += quote(body + length, input);
    return length + sprintf(body + length, ",\"environment\":{}}");
}

int main(int count, char **arguments) {
    if (count < 5) return 64;
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0) return 1;
    int runs = count > 5;
    int length = runs ? command(count - 5, arguments + 5) : snprintf(body, sizeof body, "{\"session\":\"%s\"}", arguments[4]);
    length = snprintf(
        request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nYett-Store: %s\r\nYett-Configuration: %s\r\nConnection: close\r\n"
        "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
        runs ? "/v1/command" : "/v1/token", arguments[2], arguments[3], length, body);
    if (write(connection, request, length) != length) return 1;
    size_t got = 0;
    for (ssize_t part; got < sizeof answer - 1 && (part = read(connection, answer + got, sizeof answer - 1 - got)) > 0;) got += part;
    answer[got] = 0;
    if (strncmp(answer, "HTTP/1.1 200 ", 13) != 0) return 1;
    char *start, *end;
    if (runs) {
        start = strstr(answer, "\r\n\r\n");
        if (start == NULL || strstr(answer, "\r\nYett-Exit-Status: 0\r\n") == NULL) return 1;
        start += 4;
        end = answer + got;
    } else {
        start = strstr(answer, "\"token\":\"");
        if (start == NULL) return 1;
        start += 9;
        end = strchr(start, '"');
        if (end == NULL) return 1;
        *end++ = '\n';
    }
    return write(1, start, end - start) == end - start ? 0 : 1;
}
