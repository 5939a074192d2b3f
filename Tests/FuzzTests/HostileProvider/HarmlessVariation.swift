import AuthModel
import Fuzzing

/// Harmless variations that providers are allowed to make. A client that refuses them locks users out.
enum HarmlessVariation {
    static func apply(to answer: inout RawAnswer, at place: Place, using generator: inout SeededGenerator) {
        if place.sendsBrowserOn { return parameters(&answer, at: place, using: &generator) }
        guard let document = answer.json, let members = document.members, answer.isSuccess else { return }
        switch generator.below(10) {
        case 0: answer.json = .object(members + [JSONValue.Member("x-unknown", generator.pick(Self.values))])
        case 1: answer.json = .object(members.reversed())
        case 2: answer.body = Array(document.indentedText.utf8)
        case 3:
            answer.setHeader(
                "Content-Type", generator.pick(["text/plain", "application/json;charset=UTF-8", "text/json", "APPLICATION/JSON"]))
        case 4: answer.headers += [("Set-Cookie", "a=b; Path=/; HttpOnly"), ("X-Frame-Options", "DENY"), ("Alt-Svc", "h3=\":1\"; ma=1")]
        case 5:
            answer.headers.append(("Transfer-Encoding", "chunked"))
            answer.content = answer.body
            let half = answer.body.count / 2
            answer.body = chunk(answer.body[..<half]) + chunk(answer.body[half...]) + Array("0\r\nX-Trailer: y\r\n\r\n".utf8)
        case 6: answer.bytes = Array("HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n".utf8) + answer.wire
        case 7: answer.headers = answer.headers.map { ($0.name.uppercased(), $0.value) }
        case 8: answer.headers = answer.headers.map { ($0.name.lowercased(), "  " + $0.value + " ") }
        default:
            answer.json = document["token_type"]?.string.map { document.setting("token_type", .string($0.uppercased())) } ?? document
            if let lifetime = document["expires_in"] { answer.json = answer.json?.setting("expires_in", .string(lifetime.text)) }
        }
    }

    private static let values: [JSONValue] = [.null, true, 0, "", "x", .array([]), .object([]), .number("1e400"), "\u{1B}[2J"]

    private static func chunk(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.isEmpty ? [] : Array(String(bytes.count, radix: 16).utf8) + Array("\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    private static func parameters(_ answer: inout RawAnswer, at place: Place, using generator: inout SeededGenerator) {
        guard let location = answer.header("Location"), place == .endSession || location.contains("code=") else { return }
        answer.setHeader(
            "Location",
            location
                + generator.pick([
                    "&session_state=s.1", "&scope=openid%20profile", "&authuser=0&prompt=none", "&client_id=other", "&x=%E2%82%AC",
                    "&hd=example.org&y=",
                ]))
    }
}
