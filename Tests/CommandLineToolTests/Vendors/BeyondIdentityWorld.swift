import AuthModel
import ProcessHarness
import Sandbox
import Synchronization

@testable import CommandLineTool

/// Suites that sign in at the sandbox's Beyond Identity and its app's backend, as the provider `bi`.
protocol BeyondIdentityWorld {}

extension BeyondIdentityWorld {
    typealias Body = (VendorServer<BeyondIdentitySettings>, CommandWorld) async throws -> Void

    /// Runs a backend that performs the sign-in itself.
    ///
    /// - Parameters:
    ///   - query: the query of its start page.
    ///   - more: lines of the provider's table, with `{origin}` for the sandbox's origin.
    func mediated(
        _ settings: BeyondIdentitySettings = BeyondIdentitySettings(), query: String = "redirect={redirect}&state={state}",
        more: String = "", _ body: Body
    ) async throws {
        try await withVendor(settings, as: "bi") { origin in
            """
            mode = "rp-initiated"
            url = "\(origin)/start?\(query)"
            signup_url = "\(origin)/enroll"
            \(more.replacing("{origin}", with: origin))
            """
        } _: { server, world in
            try await body(server, world)
        }
    }

    /// Runs a backend that gets the code.
    func direct(
        _ settings: BeyondIdentitySettings = BeyondIdentitySettings(), more: String = "", _ body: Body
    ) async throws {
        try await withVendor(settings, as: "bi") { origin in
            """
            mode = "direct"
            authorization_endpoint = "\(origin)/v2/authorize"
            client_id = "acme-cloud"
            scopes = ["openid"]
            exchange_url = "\(origin)/exchange"
            \(more.replacing("{origin}", with: origin))
            """
        } _: { server, world in
            try await body(server, world)
        }
    }

    /// Returns the redirect URL in a sign-in URL.
    static func redirectURL(from url: WebURL) -> WebURL? {
        FormEncoding.decode(url.query ?? "")?.first { ["redirect", "redirect_uri"].contains($0.name) }.flatMap { WebURL($0.value) }
    }
}

/// The responses to a browser that sends its own callbacks to the port, in order.
final class CallbackSender: BeyondIdentityWorld, Sendable {
    private let lines = Mutex<[String]>([])

    var statuses: [String] { lines.withLock { $0 }.map { String($0.split(separator: " ").dropFirst().first ?? "nothing") } }

    /// Sends requests to the redirect port of a sign-in URL.
    ///
    /// - Parameter targets: the request targets, given the expected path.
    func send(answering url: WebURL, _ targets: (_ path: String) -> [String]) async {
        guard let redirect = Self.redirectURL(from: url) else { return }
        for target in targets(redirect.path) {
            let answer = await RawClient.get(target, port: redirect.origin.port) ?? ""
            lines.withLock { $0.append(String(answer.prefix { $0 != "\r" })) }
        }
    }
}
