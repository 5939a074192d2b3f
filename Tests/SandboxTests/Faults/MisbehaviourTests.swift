import AuthModel
import Sandbox
import Testing

@Suite(.serialized) struct MisbehaviourTests {
    @Test func everyFaultHasAUniqueName() {
        let names = Fault.allCases.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-".utf8.contains($0) } })
        #expect(Fault.allCases.allSatisfy { Fault(name: $0.name) == $0 })
        #expect(Fault(name: "no-such-fault") == nil)
    }

    @Test func everyFaultHasAOneLineSummary() {
        #expect(Fault.allCases.allSatisfy { !$0.summary.isEmpty && !$0.summary.contains("\n") && $0.summary.last != "." })
    }

    @Test func misbehaviourIsMadeFromFaultNames() throws {
        #expect(
            try FaultSet(names: ["id-token-aud-wrong", "refresh-503"]) == [
                .idToken(.audienceWrong), .transport(.refresh, .unavailable),
            ])
        let unknown = #expect(throws: UnknownFault.self) { try FaultSet(names: ["id-token-aud-wrnog"]) }
        #expect(unknown?.name == "id-token-aud-wrnog")
        #expect(unknown?.nearest.first?.hasPrefix("id-token-aud") == true)
    }

    @Test func misbehavioursCanBeCombined() {
        let both = FaultSet([.token(.idTokenMissing)]).and([.userInfo(.subjectMissing)])
        #expect(both.faults == [.token(.idTokenMissing), .userInfo(.subjectMissing)])
        #expect(both.contains(.token(.idTokenMissing)))
        #expect(!FaultSet.none.contains(.token(.idTokenMissing)))
    }

    @Test func faultCanOccurALimitedNumberOfTimes() async throws {
        try await SandboxServer.running { server in
            await server.set(FaultSet(.transport(.keys, .unavailable), times: 2))
            var answers: [Int] = []
            for _ in 0..<3 { answers.append(try await Wire.get(server.issuer + "/jwks").status) }
            #expect(answers == [503, 503, 200])
        }
    }

    @Test func faultsPageListsEveryFault() throws {
        let page = try #require(DocumentationPage.text("Faults"))
        let listed = page.split(separator: "\n").compactMap { line -> String? in
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            return cells.count == 2 && cells[0].hasPrefix("`") ? "\(cells[0].split(separator: "`")[0]): \(cells[1])" : nil
        }
        let expected = Self.rows.map { "\($0.0): \($0.1)" }
        #expect(listed.map(trimmed) == expected)
    }

    /// One row for each fault; faults that are the same at several endpoints share one.
    private static let rows: [(String, String)] = {
        let shared = TransportFault.allCases.map { ("ENDPOINT-\($0.rawValue)", $0.summary) }
        let tokens = TokenFault.allCases.map { ("ANSWER-\($0.rawValue)", $0.summary) }
        let idTokens = IDTokenFault.allCases.map { ("TOKEN-\($0.rawValue)", $0.summary) }
        let others = Fault.allCases.filter { fault in
            switch fault {
            case .discovery, .callback, .keys, .userInfo, .logout, .device, .pushed, .proof, .registration, .resource, .exchange: true
            case .transport, .token, .refresh, .idToken, .refreshedIDToken: false
            }
        }
        return shared + others.map { ($0.name, $0.summary) } + tokens + idTokens
    }()

    private func trimmed(_ text: String) -> String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }
}
