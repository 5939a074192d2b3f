import AuthModel
import Crypto
import Glibc
import OAuth
import Synchronization

/// Judges the DPoP proofs of a client at both servers (RFC 9449 section 4.3), as the scenarios auth/dpop and auth/dpop-nonce do: with code of
/// its own, so that a fault in Yett's is not in both. Like there, a wrong proof at the MCP server is noted and not refused.
final class ProofJudge: Sendable {
    /// What the judge has seen.
    struct Record: Sendable {
        /// The identifiers of the proofs at the MCP server.
        var identifiers: [String] = []
        /// The number of requests to the MCP server with a token.
        var requests = 0
        /// The places that have asked for their nonce, and those that got it.
        var asked: Set<Place> = []
        var given: Set<Place> = []
        var violations: [String] = []
        /// The thumbprint of the key of the last token request, and those of issued tokens.
        fileprivate var thumbprint = ""
        fileprivate var tokens: [String: String] = [:]
    }

    /// The servers that may want a nonce of theirs (sections 8 and 9).
    enum Place: String { case authorizationServer, resource }

    private struct Flaw: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private struct Proof {
        let identifier: String
        let nonce: String?
        let thumbprint: String
    }

    private let wantsNonces: Bool
    private let record = Mutex(Record())

    var seen: Record { record.withLock(\.self) }

    init(wantsNonces: Bool) { self.wantsNonces = wantsNonces }

    // MARK: The servers

    /// Returns the refusal of a request to the MCP server at `url`.
    func refusal(of request: StandInServer.Request, to url: String, metadata: String) -> StandInServer.Answer? {
        let named = "resource_metadata=\"\(metadata)\""
        guard let field = request.header("Authorization") else { return Self.challenge(named) }
        let words = field.split(separator: " ", maxSplits: 1).map(String.init)
        let token = words.last ?? ""
        let isAccepted = record.withLock { record -> Bool in
            record.requests += 1
            if words.first?.lowercased() != "dpop" { record.violations.append("the scheme is \(words.first ?? "missing")") }
            do throws(Flaw) {
                let proof = try Self.proof(in: request, to: url, token: token)
                guard record.tokens[token] == proof.thumbprint else { throw Flaw("the token is bound to another key") }
                if record.identifiers.contains(proof.identifier) { record.violations.append("a proof is used again") }
                record.identifiers.append(proof.identifier)
                return accepts(proof, at: .resource, &record)
            } catch {
                record.violations.append("resource: \(error.text)")
                return true
            }
        }
        return isAccepted ? nil : Self.challenge("error=\"use_dpop_nonce\", " + named, nonce: .resource)
    }

    /// Returns the refusal of a request to the token endpoint at `url`.
    func refusal(ofTokenRequest request: StandInServer.Request, to url: String) -> StandInServer.Answer? {
        record.withLock { record -> StandInServer.Answer? in
            do throws(Flaw) {
                let proof = try Self.proof(in: request, to: url, token: nil)
                record.thumbprint = proof.thumbprint
                return accepts(proof, at: .authorizationServer, &record)
                    ? nil : Self.refusal("use_dpop_nonce", ["DPoP-Nonce: \(Place.authorizationServer.nonce)"])
            } catch {
                record.violations.append("token endpoint: \(error.text)")
                return Self.refusal("invalid_dpop_proof")
            }
        }
    }

    /// Binds a token to the key of the last token request.
    func bind(_ token: String) { record.withLock { $0.tokens[token] = $0.thumbprint } }

    private func accepts(_ proof: Proof, at place: Place, _ record: inout Record) -> Bool {
        guard wantsNonces else { return true }
        guard proof.nonce == place.nonce else {
            record.asked.insert(place)
            return false
        }
        record.given.insert(place)
        return true
    }

    private static func challenge(_ parameters: String, nonce: Place? = nil) -> StandInServer.Answer {
        let nonce = nonce.map { ["DPoP-Nonce: \($0.nonce)"] } ?? []
        return .init(status: 401, headers: ["WWW-Authenticate: DPoP \(parameters)"] + nonce)
    }

    private static func refusal(_ code: String, _ headers: [String] = []) -> StandInServer.Answer {
        var answer = StandInServer.Answer.json(["error": .string(code)], status: 400)
        answer.headers += headers
        return answer
    }

    // MARK: The proof

    private static func proof(in request: StandInServer.Request, to url: String, token: String?) throws(Flaw) -> Proof {
        let fields = request.head.split(separator: "\n").filter { $0.lowercased().hasPrefix("dpop:") }
        guard fields.count == 1, let text = request.header("DPoP") else { throw Flaw("\(fields.count) proofs") }
        let parts = text.split(separator: ".").map(String.init)
        let decoded = parts.compactMap { Base64URL.decode($0) }
        guard decoded.count == 3, let header = try? JSONValue(strict: decoded[0]), let claims = try? JSONValue(strict: decoded[1]) else {
            throw Flaw("no JWT")
        }
        guard header["typ"] == "dpop+jwt", header["alg"] == "ES256" else { throw Flaw("type or algorithm") }
        let jwk = header["jwk"]
        guard let x = jwk?["x"]?.string, let y = jwk?["y"]?.string, jwk?["kty"] == "EC", jwk?["crv"] == "P-256", jwk?["d"] == nil,
            let key = try? P256.Signing.PublicKey(rawRepresentation: (Base64URL.decode(x) ?? []) + (Base64URL.decode(y) ?? []))
        else { throw Flaw("no public key") }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: decoded[2]),
            key.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { throw Flaw("signature") }
        guard let identifier = claims["jti"]?.string else { throw Flaw("no jti") }
        guard claims["htm"]?.string == request.method else { throw Flaw("htm") }
        guard claims["htu"]?.string == url else { throw Flaw("htu") }
        guard let issued = claims["iat"]?.integer, abs(issued - Int64(time(nil))) <= 300 else { throw Flaw("iat") }
        guard claims["ath"]?.string == token.map({ digest($0) }) else { throw Flaw("ath") }
        // RFC 7638 section 3.
        let thumbprint = digest(#"{"crv":"P-256","kty":"EC","x":"\#(x)","y":"\#(y)"}"#)
        return Proof(identifier: identifier, nonce: claims["nonce"]?.string, thumbprint: thumbprint)
    }

    private static func digest(_ text: String) -> String { Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8)))) }
}

extension ProofJudge.Place {
    /// The only nonce that the server accepts.
    fileprivate var nonce: String { "conformance-nonce-of-\(rawValue)" }
}
