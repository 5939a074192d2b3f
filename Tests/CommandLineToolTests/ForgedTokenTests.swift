import AuthModel
import OAuth
import Sandbox
import Testing

@testable import CommandLineTool

/// `yett inspect -` with a forged token.
struct ForgedTokenTests {
    @Test(arguments: ["signature", "none", "foreign"])
    func forgedTokenIsShownAndRefused(forgery: String) async throws {
        try await withSession(SignInTests.honest) { _, world in
            let idToken = String(await world.run("token", "sandbox", "--id-token").output.dropLast())
            let parts = idToken.split(separator: ".").map(String.init)
            let none = Base64URL.encode(Array("{\"alg\":\"none\"}".utf8))
            let forgedClaims = Base64URL.encode(Array("{\"iss\":\"https://id.example\",\"sub\":\"ada\"}".utf8))
            let token =
                switch forgery {
                case "signature": "\(parts[0]).\(parts[1]).\(parts[2].hasPrefix("AAAA") ? "BBBB" : "AAAA")\(parts[2].dropFirst(4))"
                case "none": "\(none).\(parts[1])."
                default: "\(parts[0]).\(forgedClaims).\(parts[2])"
                }
            let result = await world.run("inspect", "-", user: .init(lines: [token]))
            #expect(result.output.contains("not verified: "))
            // The keys of a foreign issuer are unknown, so its token is shown unverified.
            #expect(result.status == (forgery == "foreign" ? 0 : 8), "\(result.errors)")
            #expect(result.errors.contains("yett: error: the ID token at 127.0.0.1") == (forgery != "foreign"))
        }
    }
}
