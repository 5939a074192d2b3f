import AuthModel
import Crypto

/// HTTP authentication, as a web server in front of a server checks it.
enum WebTierAccount {
    static let realm = "sandbox web tier"
    /// Constant, because a replay does no harm here.
    static let nonce = "c2FuZGJveC1ub25jZQ"

    /// Checks HTTP Basic (RFC 7617).
    static func basic(_ field: String) -> SandboxUser? {
        guard field.hasPrefix("Basic ") else { return nil }
        return SandboxUser.standard.first {
            field.dropFirst("Basic ".count) == Base64.standard(Array("\($0.username):\($0.password)".utf8))
        }
    }

    /// Checks HTTP Digest (RFC 7616) with MD5 and `qop=auth`, as curl and most servers use it.
    static func digest(_ field: String, method: String) -> SandboxUser? {
        guard field.hasPrefix("Digest ") else { return nil }
        var values: [String: String] = [:]
        for part in field.dropFirst("Digest ".count).split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            values[String(pair[0].drop { $0 == " " })] = pair[1].filter { $0 != "\"" }
        }
        guard let user = SandboxUser.standard.first(where: { $0.username == values["username"] }), values["nonce"] == nonce,
            let uri = values["uri"], let count = values["nc"], let clientNonce = values["cnonce"], values["qop"] == "auth"
        else { return nil }
        let secret = hash("\(user.username):\(realm):\(user.password)")
        let request = hash("\(method):\(uri)")
        return values["response"] == hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(request)") ? user : nil
    }

    private static func hash(_ text: String) -> String {
        Insecure.MD5.hash(data: Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
