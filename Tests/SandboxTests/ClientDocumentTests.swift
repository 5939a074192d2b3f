import AuthModel
import NIOCore
import NIOPosix
import Testing

@testable import Sandbox

/// Clients that are described by a document at their identifier.
@Suite(.serialized) struct ClientDocumentTests {
    private static let configuration = SandboxConfiguration(autoApproves: "ada").with { $0.acceptsClientDocuments = true }

    /// Serves one document to every client while `body` runs; both get the document's URL.
    private func serving<Result: Sendable>(
        _ document: @Sendable @escaping (String) -> JSONValue, _ body: (String) async throws -> Result
    ) async throws -> Result {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel) }
            }
        let url = "http://127.0.0.1:\(listener.channel.localAddress?.port ?? 0)/client.json"
        return try await listener.executeThenClose { connections in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await connection in connections {
                        try await connection.executeThenClose { inbound, outbound in
                            for try await _ in inbound { break }
                            try await outbound.write(ByteBuffer(string: "HTTP/1.0 200 OK\r\n\r\n" + document(url).text))
                        }
                    }
                }
                let result = try await body(url)
                group.cancelAll()
                return result
            }
        }
    }

    @Test func clientIsDescribedByItsDocument() async throws {
        try await SandboxServer.running(Self.configuration) { server in
            let metadata = try await Wire.get(server.issuer + "/.well-known/oauth-authorization-server").json()
            #expect(metadata["client_id_metadata_document_supported"] == true)
            try await serving({ RegistrationTests.native.setting("client_id", .string($0)) }) { url in
                let party = RelyingParty(server: server, clientID: url)
                let tokens = try await party.tokens()
                #expect(DecodedToken(try tokens.text("id_token")).claims?["aud"]?.string == url)
                let foreign = try await Wire.get(party.authorizationURL([("redirect_uri", "http://127.0.0.1:9999/other")]))
                #expect(foreign.status == 400 && foreign.location == nil)
            }
        }
    }

    @Test(
        arguments: [
            ("client_id", "http://127.0.0.1/other.json"), ("client_secret", "secret"),
            ("token_endpoint_auth_method", "client_secret_basic"),
            ("redirect_uris", []),
        ] as [(String, JSONValue)])
    func invalidDocumentIsRefused(name: String, value: JSONValue) async throws {
        try await SandboxServer.running(Self.configuration) { server in
            try await serving({ RegistrationTests.native.setting("client_id", .string($0)).setting(name, value) }) { url in
                let party = RelyingParty(server: server, clientID: url)
                let reply = try await Wire.get(party.authorizationURL())
                #expect(reply.status == 400 && reply.location == nil)
            }
        }
    }

    @Test(arguments: [
        "https://example.org/client.json", "http://localhost/client.json", "http://127.0.0.1:1/client.json", "http://127.0.0.1:1",
    ])
    func onlyLoopbackDocumentsAreFetched(url: String) async throws {
        try await SandboxServer.running(Self.configuration) { (server) async throws in
            let party = RelyingParty(server: server, clientID: url)
            #expect(try await Wire.get(party.authorizationURL()).status == 400)
        }
    }

    @Test func documentsAreReadOnlyWhereTheyAreAllowed() async throws {
        try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada")) { server in
            let metadata = try await Wire.get(server.issuer + "/.well-known/oauth-authorization-server").json()
            #expect(metadata["client_id_metadata_document_supported"] == nil)
            try await serving({ RegistrationTests.native.setting("client_id", .string($0)) }) { (url) async throws in
                let party = RelyingParty(server: server, clientID: url)
                #expect(try await Wire.get(party.authorizationURL()).status == 400)
            }
        }
    }
}
