import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// Checks that the tokens of an ArcGIS portal are only in the sealed store after a sign-in with the built program.
@Suite(.startsPrograms) struct ArcGISSecrecyTests {
    /// Returns every refresh token in the portal's request log.
    private func refreshTokens(_ vendor: SandboxProvider.Vendor) async throws -> Set<String> {
        let log = try #require(try await Resource.get(vendor.origin + "/__log").json?.array)
        let fields = log.compactMap { $0["body"]?.string }.flatMap { FormEncoding.decode($0) ?? [] }
        return Set(fields.filter { $0.name == "refresh_token" }.map(\.value))
    }

    @Test func tokensAppearInNoArgumentLogOrStatus() async throws {
        let home = try TemporaryHome()
        let sandbox = try await SandboxProvider(options: ["--vendor", "arcgis", "--auto-approve", "ada", "--request-log"])
        let vendor = try sandbox.vendor("arcgis")
        try home.configure("[store]\nseal = \"key-file\"\n[providers.ag]\n\(vendor.settings)\n")
        // A browser that records its own arguments and the command lines of all processes.
        let follow = Browser.following.filter { $0 != "'" }
        try home.write(
            """
            #!/bin/sh
            printf '%s\\n' "$@" > '\(home.path)/called'
            cat /proc/[0-9]*/cmdline > '\(home.path)/cmdlines' 2>/dev/null
            for address; do :; done
            exec '\(follow)' "$address"

            """, to: "bin/lookout", permissions: 0o700)
        let environment: [String: String?] = [
            "PATH": "\(home.path)/bin:/usr/bin:/bin", "BROWSER": "lookout", "DISPLAY": ":0", "YETT_NO_AGENT": "1",
        ]
        var said = ""
        var tokens: Set<String> = []
        let item = vendor.origin + "/sharing/rest/content/items/00000000000000000000000000000002"
        // The second sign-in starts while tokens exist that could leak to the browser.
        for arguments in [["login", "ag"], ["renew", "ag"], ["login", "ag"], ["request", "ag", item], ["status"]] {
            let result = try await home.program("yett-main", arguments + ["--log"], with: environment).run()
            #expect(result.status == 0, "\(result)")
            said += result.description
            tokens.insert(try await home.yett("token", "ag", with: environment).output.filter { !$0.isNewline })
        }
        for arguments in [["status", "--json"], ["status", "ag", "--json"], ["inspect", "ag"]] {
            said += try await home.program("yett-main", arguments, with: environment).run().description
        }
        tokens.formUnion(try await refreshTokens(vendor))
        #expect(tokens.count >= 4 && tokens.allSatisfy { $0.utf8.count >= 16 })
        #expect(!home.files(containing: "end with status").isEmpty, "there is a log")
        #expect(!home.files(containing: "/sharing/rest/oauth2/authorize").isEmpty, "the browser wrote down what it was called with")
        for token in tokens {
            #expect(home.files(containing: token) == [])
            #expect(!said.contains(token))
        }
    }
}
