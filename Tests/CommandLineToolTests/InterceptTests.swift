import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett exec --intercept` with curl, a program that knows nothing of Yett.
@Suite(.startsPrograms) struct InterceptTests {
    @Test func requestsGetATokenThatTheCommandNeverSees() async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run(
                """
                curl -sSf \(place.secure)/api/hello && curl -sSf -H "Authorization: Bearer $YETT_PLACEHOLDER" \(place.secure)/api/hello
                env; cat "$SSL_CERT_FILE"; stat -c 'mode %a' "$SSL_CERT_FILE"; exit 7
                """)
            #expect(run.status == 7, "\(run.errors)")
            let sent = place.fields("Authorization")
            #expect(sent.count == 2)
            for field in sent {
                let token = try #require(field?.split(separator: " ").last)
                #expect(field?.hasPrefix("Bearer ") == true && token != "yett")
                #expect(!run.output.contains(token))
            }
            #expect(run.output.contains("mode 600\n") && !run.output.contains("PRIVATE KEY"))
            let path = try #require(run.output.firstMatch(of: #/CURL_CA_BUNDLE=(\S+)/#)?.output.1)
            #expect(access(String(path), F_OK) != 0)
        }
    }

    @Test func credentialsOfTheCommandPassUnchanged() async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run("curl -sS -H 'Authorization: Bearer other' -H 'Cookie: a=b' \(place.secure)/api/hello")
            #expect(run.status == 0, "\(run.errors)")
            #expect(place.fields("Authorization") == ["Bearer other"])
            #expect(place.fields("Cookie") == ["a=b"])
        }
    }

    @Test func requestsOfOtherSitesGetNoToken() async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run(
                """
                for field in 'Origin: https://evil.example' 'Origin: null' 'Sec-Fetch-Site: cross-site' 'Origin: \(place.secure)'; do
                    curl -sS -o /dev/null -H "$field" \(place.secure)/api/hello
                done
                """)
            #expect(run.status == 0, "\(run.output)")
            #expect(place.fields("Authorization").map { $0 != nil } == [false, false, false, true])
            #expect(run.errors.contains("got no token, because a web page of another site caused it (3 times)"), "\(run.errors)")
        }
    }

    /// What one program trusts more than others is no other's to trust.
    @Test func eachProgramKeepsItsOwnRoots() async throws {
        try await InterceptedHome.use { place in
            let own = place.world.home + "/own.pem"
            try PrivateFile.replace(own, with: Array("-----BEGIN CERTIFICATE-----\nOWN\n-----END CERTIFICATE-----\n".utf8))
            let script = #"""
                for name in AWS_CA_BUNDLE PIP_CERT REQUESTS_CA_BUNDLE SSL_CERT_FILE GIT_SSL_CAINFO; do
                    eval file=\$$name
                    echo "$name $(grep -c OWN $file) $(grep -c BEGIN $file | sed 's/^[0-9][0-9].*/many/')"
                done
                """#
            let run = try await place.run(script, with: ["REQUESTS_CA_BUNDLE": own, "AWS_CA_BUNDLE": ""])
            let expected = ["AWS_CA_BUNDLE 1 2", "PIP_CERT 1 2", "REQUESTS_CA_BUNDLE 1 2", "SSL_CERT_FILE 0 many", "GIT_SSL_CAINFO 0 many"]
            #expect(run.output == expected.map { $0 + "\n" }.joined(), "\(run)")
        }
    }

    /// For an agent that is started in the command, and outlives it.
    @Test func formerProxyAndCertificatesAreKept() async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run("env | grep ^YETT_REPLACED_ | cut -d = -f 1 | LC_ALL=C sort")
            let names = ["HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "https_proxy", "no_proxy"]
            #expect(run.output == names.map { "YETT_REPLACED_\($0)\n" }.joined())
        }
    }

    /// A program in the command that signs in or renews a token by itself.
    @Test func requestsForTokensGetNoToken() async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run(
                """
                curl -sS -o /dev/null -d 'a=b&grant_type=refresh_token' \(place.secure)/api/hello
                curl -sS -o /dev/null -d 'a=grant_type' \(place.secure)/api/hello
                curl -sS -o /dev/null '\(place.secure)/api/hello?grant_type=ig_refresh_token'
                curl -sS -o /dev/null '\(place.secure)/api/hello?a=grant_type'
                """)
            #expect(run.status == 0, "\(run.output)")
            #expect(place.fields("Authorization").map { $0 != nil } == [false, true, false, true])
        }
    }

    /// The framing of a form tells nothing about it. One that is too long to be kept is not read, and gets no token.
    @Test func formsOfAnyFramingAreRead() async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run(
                """
                chunked() { curl -sS -o /dev/null -H 'Transfer-Encoding: chunked' "$@" \(place.secure)/api/hello; }
                long() { printf 'a='; head -c 100000 /dev/zero | tr '\\0' x; printf '&grant_type=refresh_token'; }
                chunked -d 'a=b&grant_type=refresh_token'
                chunked -d 'a=grant_type'
                long | chunked --data-binary @-
                long | curl -sS -o /dev/null --data-binary @- \(place.secure)/api/hello
                long | chunked -H 'Content-Type: text/plain' --data-binary @-
                """)
            #expect(run.status == 0, "\(run.output)")
            #expect(place.fields("Authorization").map { $0 != nil } == [false, true, false, false, true])
            #expect(run.errors.contains("got no token, because it may be a request for tokens (2 times)"), "\(run.errors)")
        }
    }

    @Test func hostileRequestsAreRefusedWithASentence() async throws {
        try await InterceptedHome.use { place in
            let curl = "curl -sS --max-time 300"
            let run = try await place.run(
                """
                \(curl) -H 'Host: evil.example' \(place.secure)/api/hello
                \(curl) -x "$HTTPS_PROXY" \(place.secure.replacing("https:", with: "http:"))/api/hello
                \(curl) -w '%{http_connect}' https://127.0.0.1:1/; \(curl) -w '%{http_connect}' https://169.254.169.254/latest
                \(curl) -w '%{http_connect}' -x "http://${HTTPS_PROXY#*@}" \(place.secure)/api/hello
                """)
            #expect(run.output.contains("the request names another host than its connection"), "\(run.output)")
            #expect(run.output.contains("plain HTTP to 127.0.0.1 is refused; use https"), "\(run.output)")
            #expect(run.output.contains("403") && run.output.contains("407"))
            #expect(run.errors.contains("the request names another host than its connection"), "\(run.errors)")
            #expect(run.errors.contains("no connection to 127.0.0.1:1: 127.0.0.1 is an address of this machine"), "\(run.errors)")
            #expect(run.errors.contains("no connection to 169.254.169.254"))
            #expect(place.fields("Authorization") == [])
        }
    }

    /// The activity says which program called which host, how often, and what was refused to it. `blocked_programs` goes by the same name.
    @Test(arguments: [["--only"], ["--only", "--isolated"]]) func activityNamesTheProgram(options: [String]) async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run(
                """
                cp "$(command -v curl)" '\(place.world.home)/caller'
                for number in 1 2 3; do '\(place.world.home)/caller' -sS \(place.secure)/api/hello; done
                curl -sS https://other.example/ https://other.example/
                """, options)
            #expect(place.fields("Authorization").count == 3, "\(run.output)")
            let entries = try #require(try await place.world.run("activity", "--json").json["activity"]?.array)
            let host = place.secure.dropFirst("https://".count)
            let calls = entries.filter { $0["kind"] == "handed_out" && $0.text.contains("/caller") && $0.text.contains(host) }
            #expect(calls.count == 3, "\(entries)")
            let refusal = try #require(entries.first { $0["kind"] == "token_refused" }, "\(entries)")
            #expect(refusal.text.contains("other.example") && refusal["count"]?.integer == 2, "\(refusal.text)")
            #expect(refusal["program"]?.string?.hasSuffix("/curl") == true, "\(refusal.text)")
        }
    }

    /// Where no app is open, the user is asked at the terminal, once for the host. The default answer is no.
    @Test(arguments: [("y", 2), ("n", 0), ("", 0)]) func policyThatAsksAsksAtTheTerminal(answer: String, requests: Int) async throws {
        try await InterceptedHome.use { place in
            let errors = try await place.run(asking: answer, at: UserPresence(terminal: .foreground))
            #expect(place.fields("Authorization").count == requests, "\(errors)")
            #expect(errors.ranges(of: "Allow?").count == 1, "\(errors)")
            let question = errors.split(separator: "\n").first { $0.contains("asks for the token of sandbox") } ?? ""
            #expect(question.contains("curl") && question.contains(place.secure.dropFirst("https://".count)), "\(errors)")
        }
    }

    /// It could write another question over Yett's, which the user would answer.
    @Test func confinedCommandHasNoQuestionAtItsTerminal() async throws {
        try await InterceptedHome.use { place in
            let errors = try await place.run(asking: "y", at: UserPresence(terminal: .foreground), ["--isolated"])
            #expect(!errors.contains("Allow?") && place.fields("Authorization") == [], "\(errors)")
        }
    }

    /// What is typed for a program that reads keys is no answer, and a job in the background has no terminal.
    @Test(arguments: [UserPresence(terminal: .foreground, isReadingKeys: true), UserPresence(terminal: .background)])
    func policyThatAsksDoesNotDisturbTheTerminal(presence: UserPresence) async throws {
        try await InterceptedHome.use { place in
            let errors = try await place.run(asking: "y", at: presence)
            #expect(!errors.contains("Allow?") && place.fields("Authorization") == [], "\(errors)")
        }
    }

    /// Where there is no user to ask, the program learns what to do.
    @Test func policyThatAsksNeedsTheApp() async throws {
        try await InterceptedHome.use { place in
            let text = try place.world.text(place.world.configurationPath)
            try place.world.configure(text + "policy = \"ask\"\n")
            let run = try await place.run("curl -sS \(place.secure)/api/hello")
            #expect(run.output.contains("consent") && run.output.contains("ask"), "\(run.output)")
            #expect(place.fields("Authorization") == [])
        }
    }

    @Test func otherHostsAreRefusedWithOnly() async throws {
        try await InterceptedHome.use { place in
            let run = try await place.run(
                "curl -sS https://other.example/; curl -sS http://other.example/; curl -sS \(place.secure)/api/hello", ["--only"])
            #expect(run.errors.contains("a connection to other.example is refused, because of --only"), "\(run.errors)")
            #expect(run.output.contains("plain HTTP to other.example is refused"), "\(run.output)")
            #expect(place.fields("Authorization").count == 1)
        }
    }

    /// An address of this machine is no target. So a namespace stands for this machine, and one inside it for another.
    @Test(arguments: [[], ["--isolated"]]) func otherConnectionsPassUnread(options: [String]) async throws {
        try await InterceptedHome.use { home in
            let network = """
                set -e
                ip link set lo up
                unshare -n socat TCP-LISTEN:8080,fork,reuseaddr 'SYSTEM:sed -u /^.$/q' &
                other=$!
                trap "kill $other" EXIT
                until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do :; done
                ip link add near type veth peer name far netns $other
                ip address add 192.0.2.1/24 dev near
                ip link set near up
                nsenter -n -t $other sh -c 'ip address add 192.0.2.2/24 dev far; ip link set far up'
                until socat -u /dev/null TCP:192.0.2.2:8080 2>/dev/null; do :; done
                "$@"
                """
            // The answer is the request.
            let script = "curl -sS --http0.9 --proxytunnel -x \"$HTTPS_PROXY\" http://192.0.2.2:8080/path"
            let program = try home.program(
                options + ["--", "sh", "-c", script], below: ["/usr/bin/unshare", "-Urn", "sh", "-c", network, "sh"])
            let result = try await program.run()
            #expect(result.status == 0 && result.output.hasPrefix("GET /path HTTP/1.1\r\nHost: 192.0.2.2:8080\r\n"), "\(result)")
            #expect(!result.output.lowercased().contains("authorization"))
            let refused = try await home.program(
                options + ["--only", "--", "sh", "-c", script], below: ["/usr/bin/unshare", "-Urn", "sh", "-c", network, "sh"]
            ).run()
            #expect(refused.errors.contains("a connection to 192.0.2.2:8080 is refused, because of --only"), "\(refused)")
        }
    }

    /// The origin's certificate is checked here, because the client cannot.
    @Test(arguments: ["elsewhere", "expired", "selfsigned"])
    func serverWithAWrongCertificateGetsNothing(certificate: String) async throws {
        try await InterceptedHome.use(certificate: certificate) { place in
            let run = try await place.run("curl -sS -w '%{http_code}' \(place.secure)/api/hello")
            #expect(run.output.contains("the certificate of 127.0.0.1") && run.output.hasSuffix("502"), "\(run.output)")
            #expect(place.fields("Authorization") == [])
        }
    }

    /// Each removes what killed ones left, and must not take another's new folder for that.
    @Test func commandsThatStartTogetherKeepTheirFolders() async throws {
        try await InterceptedHome.use { place in
            let (world, runtime) = (place.world, place.world.home + "/run")
            mkdir(runtime, 0o700)
            await withTaskGroup(of: CommandResult.self) { group in
                for _ in 0..<24 {
                    group.addTask {
                        await world.run(["exec", "sandbox", "--intercept", "--", "true"], with: ["XDG_RUNTIME_DIR": runtime])
                    }
                }
                for await run in group { #expect(run.status == 0, "\(run.errors)") }
            }
        }
    }

    @Test func hostOfTwoSessionsIsRefused() async throws {
        try await InterceptedHome.use { place in
            let run = await place.world.run("exec", "sandbox", "sandbox/ada", "--intercept", "--", "true")
            #expect(run.status == 64 && run.errors.contains("sandbox and sandbox/ada are both for"), "\(run.errors)")
        }
    }

    @Test(arguments: [
        ["exec", "work", "--only", "--", "true"], ["exec", "work", "other", "--", "true"], ["exec", "--intercept", "--", "true"],
        ["exec", "work", "--intercept", "--proxy", "--", "true"], ["exec", "work", "--intercept", "--env", "A", "--", "true"],
        ["exec", "work", "--intercept", "--scope", "a", "--", "true"],
    ])
    func optionsThatContradictAreRefused(arguments: [String]) async throws {
        #expect(try await CommandWorld().run(arguments).status == 64)
    }
}
