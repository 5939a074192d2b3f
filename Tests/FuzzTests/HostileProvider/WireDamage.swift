import AuthModel
import Fuzzing

/// Damage to a response outside its document.
enum WireDamage {
    /// The path of a redirect target. A client that requests it has followed a redirect that it must not follow.
    static let trap = "/trap"

    static func apply(to answer: inout RawAnswer, using generator: inout SeededGenerator) {
        let length = answer.body.count
        switch generator.below(22) {
        case 0:
            answer.status = generator.pick([
                "201 Created", "202 A", "203 N", "204 No", "205 R", "206 Part", "226 IM", "300 M", "304 Not", "400 B", "401 U", "402 P",
                "403 F",
                "404 N", "405 M", "408 T", "410 G", "413 L", "418 T", "421 M", "425 E", "429 T", "451 L", "500 I", "501 N", "502 B",
                "503 S",
                "504 G", "511 N", "599 X", "600 X", "999 X", "99 X", "099 X", "0 X", "-1 X", "abc", "200", "2000 X",
            ])
        case 1:
            answer.setHeader(
                "Content-Type",
                generator.pick([
                    "text/html", "application/json; charset=utf-16", "application/jwt", String(repeating: "x/y;", count: 100), "",
                    "image/png",
                    "application/token-introspection+jwt", "multipart/mixed; boundary=x",
                ]))
        case 2: answer.headers.append(("X-Big", String(repeating: "a", count: generator.pick([10_000, 70_000, 1_100_000]))))
        case 3: answer.headers += (0..<generator.pick([199, 250, 20_000])).map { ("X-\($0)", "v") }
        case 4:
            let wrong = generator.pick([
                "\(length + 1)", "\(max(0, length - 1))", "\(length + 1000)", "1000000000000000000", "-1", "+\(length)",
            ])
            answer.headers.append(
                ("Content-Length", generator.pick([wrong, "0x10", "1e3", "", "99999999999999999999999", "\(length),\(length)"])))
        case 5: answer.headers += [("Content-Length", "\(length)"), ("Content-Length", "\(max(0, length - 5))")]
        case 6:
            answer.headers.append(("Content-Encoding", generator.pick(["gzip", "br", "deflate", "zstd", "x", "gzip, gzip", "identity"])))
        case 7: answer.body += [UInt8](repeating: 0x20, count: generator.pick([1_048_576, 2_000_000, 5_000_000]))
        case 8: answer.headers.append(("Transfer-Encoding", generator.pick(["chunked", "gzip", "chunked, chunked", "x"])))
        case 9:
            answer.headers.append(("Transfer-Encoding", "chunked"))
            answer.body =
                Array(
                    generator.pick(["ffffffffffffffff\r\n", "-1\r\n", "0\r\n\r\n", "5;x=\(String(repeating: "y", count: 20_000))\r\n"]).utf8
                ) + answer.body
        case 10: answer.bytes = Array(answer.wire.prefix(generator.below(answer.wire.count + 1)))
        case 11: answer.bytes = Array(answer.body.prefix(generator.below(length + 1)))
        case 12: answer.status += "\r\nX:\u{0}y"
        case 13: answer.status += " \u{1B}[31m\u{9B}1m"
        case 14:
            answer.bytes = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: generator.pick([5, 300])).utf8) + answer.wire
        case 15:
            answer.bytes = Array(
                String(decoding: answer.wire, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false).joined(
                    separator: "\n"
                ).utf8)
        case 16: answer.isSilent = true
        case 17: answer.bytes = []
        case 18: answer.headers.append(("X-Folded", "a\r\n b\r\n\tc"))
        case 19: answer.bytes = Array(answer.wire.map { generator.below(200) == 0 ? $0 ^ (1 << UInt8(generator.below(8))) : $0 })
        case 20:
            answer.bytes =
                Array(
                    generator.pick(["HTTP/2 200\r\n\r\n", "HTTP/0.9 200 x\r\n\r\n", "ICY 200 OK\r\n\r\n", "\r\n\r\n", "SSH-2.0-x\r\n"]).utf8
                ) + answer.body
        default: answer.headers.append(field(using: &generator))
        }
    }

    private static func field(using generator: inout SeededGenerator) -> (name: String, value: String) {
        let name = generator.pick([
            "WWW-Authenticate", "DPoP-Nonce", "Retry-After", "Date", "Cache-Control", "Expires", "Age", "Set-Cookie", "Location", "Refresh",
            "Strict-Transport-Security", "Alt-Svc", "Link", "Content-Disposition", "Content-Range", "Trailer", "Upgrade", "Connection",
        ])
        let value = generator.pick([
            String(repeating: "x", count: 9000), "\u{1B}]0;x\u{7}", "99999999999999999999", "-1", "Mon, 99 Foo 99999 99:99:99 GMT",
            "Thu, 01 Jan 1970 00:00:00 GMT", "max-age=99999999999999999999", "DPoP error=\"use_dpop_nonce\"", ",,,\"",
            "Bearer error=\"insufficient_user_authentication\", acr_values=\"\u{1B}x\", max_age=99999999999999999999", "0", "a=b; Path=/",
            trap,
            "\u{FF}\u{FE}", "h2=\"127.0.0.1:1\"; ma=86400", "close, keep-alive", "bytes 0-0/1", "1e9",
        ])
        return (name, value)
    }

    static func redirect(_ answer: inout RawAnswer, using generator: inout SeededGenerator) {
        answer.status = generator.pick(["301 M", "302 F", "303 S", "307 T", "308 P", "300 C", "305 P"])
        let place = generator.pick([
            trap, "/..//trap", "//127.0.0.1/trap", "http://localhost:1/trap", "http://169.254.169.254/trap", "file:///etc/passwd",
            "gopher://127.0.0.1:1/x",
            "\u{1B}[1m", "", "?x", "javascript:alert(1)", "http://127.0.0.1:99999/", "https://user:pw@127.0.0.1:1/trap",
        ])
        answer.setHeader("Location", place)
        if generator.below(3) == 0 { answer.body = [] }
    }
}
