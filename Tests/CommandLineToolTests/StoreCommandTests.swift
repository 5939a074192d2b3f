import AuthModel
import Glibc
import Sandbox
import OperatingSystem
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The store files that the command writes, and how it reads one that someone else has changed.
struct StoreCommandTests {
    /// Signs in, and passes `body` the store's bytes and the token in it.
    private func stored(_ body: (CommandWorld, [UInt8], String) async throws -> Void) async throws {
        try await withSession(SignInTests.honest) { _, world in
            let token = await world.run("token", "sandbox")
            try #require(token.status == 0, "\(token.errors)")
            try await body(world, try #require(try PrivateFile.read(world.storePath)), token.output)
        }
    }

    /// Expects the stored token, or a refusal that leaves the file unchanged; never another token.
    private func expectOriginalTokenOrRefusal(_ bytes: [UInt8], _ token: String, in world: CommandWorld, _ place: Int) async throws {
        try PrivateFile.replace(world.storePath, with: bytes)
        let result = await world.run("token", "sandbox")
        #expect(result.output == (result.status == 0 ? token : ""), "at \(place)")
        #expect([0, 2, 9].contains(result.status), "at \(place): \(result.errors)")
        if result.status != 0 {
            #expect(result.errors.hasPrefix("yett: error: "))
            #expect(try PrivateFile.read(world.storePath) == bytes)
        }
    }

    @Test func flippedByteGivesTheTokenOrARefusal() async throws {
        try await stored { world, bytes, token in
            for place in stride(from: 0, to: bytes.count, by: 61) {
                var damaged = bytes
                damaged[place] ^= UInt8(1 << (place % 8))
                try await expectOriginalTokenOrRefusal(damaged, token, in: world, place)
            }
        }
    }

    @Test func truncatedStoreGivesTheTokenOrARefusal() async throws {
        try await stored { world, bytes, token in
            for length in stride(from: 0, to: bytes.count, by: 211) {
                try await expectOriginalTokenOrRefusal(Array(bytes.prefix(length)), token, in: world, length)
            }
        }
    }

    @Test func noSecretIsInPlainTextBelowTheHome() async throws {
        try await withSandbox(SignInTests.honest, more: "[store]\nseal = \"passphrase\"") { sandbox, world in
            let words = "open sesame 4711"
            let outside = try CommandWorld()
            try PrivateFile.replace(outside.home + "/words", with: Array(words.utf8))
            let secrets = ["YETT_PASSPHRASE_FILE": outside.home + "/words"]
            var tokens: [String] = []
            for command in [["login", "--log"], ["token", "sandbox"], ["renew", "--log"], ["token", "sandbox"], ["inspect", "--json"]] {
                let result = await world.run(command, with: secrets)
                try #require(result.status == 0, "\(result.errors)")
                if command[0] == "token" { tokens.append(String(result.output.dropLast())) }
            }
            for request in sandbox.requests {
                tokens += ["code", "code_verifier", "refresh_token"].compactMap { request.field($0) }
                tokens += (request.header("Authorization")?.split(separator: " ").last).map { [String($0)] } ?? []
            }
            #expect(tokens.count >= 6)
            let names = Self.files(below: world.home)
            #expect(names.contains(world.storePath) && names.contains { $0.hasSuffix("yett.log") })
            for name in names {
                let bytes = try #require(try PrivateFile.read(name))
                for secret in tokens + [words] { #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(name)") }
            }
        }
    }

    /// Returns every regular file below a folder.
    private static func files(below folder: String) -> [String] {
        FolderListing.names(in: folder).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { return [] }
            return status.st_mode & S_IFMT == S_IFDIR ? files(below: path) : status.st_mode & S_IFMT == S_IFREG ? [path] : []
        }
    }

    @Test func filesAndFoldersArePrivateWithAnyUmask() async {
        // The umask belongs to the whole process.
        await #expect(processExitsWith: .success) {
            umask(0)
            try await withSandbox(SignInTests.honest) { _, world in
                try await world.signIn("--log")
                for folder in [world.storeDirectory, world.home + "/.local/state/yett", world.home + "/.cache/yett"] {
                    try #require(FileStatus.mode(folder) == 0o700, "\(folder)")
                    let names = FolderListing.names(in: folder)
                    try #require(!names.isEmpty)
                    for name in names { try #require(FileStatus.mode("\(folder)/\(name)") == 0o600, "\(folder)/\(name)") }
                }
            }
        }
    }

    @Test(arguments: ["loose", "link"])
    func folderThatIsNotPrivateHoldsNoStore(fault: String) async throws {
        try await withSandbox(SignInTests.honest) { sandbox, world in
            try PrivateFile.makeDirectory(world.home + "/.local/share")
            let elsewhere = world.home + "/elsewhere"
            try PrivateFile.makeDirectory(elsewhere)
            if fault == "link" {
                symlink(elsewhere, world.storeDirectory)
            } else {
                mkdir(world.storeDirectory, 0o755)
                chmod(world.storeDirectory, 0o755)
            }
            let result = await world.run("login", exits: 2)
            #expect(result.errors.contains("yett: hint: "))
            #expect(FolderListing.names(in: elsewhere).isEmpty && FolderListing.names(in: world.storeDirectory).isEmpty)
            // A sign-in that could not be sealed does not begin.
            #expect(world.openedAddresses.isEmpty && sandbox.requests.isEmpty)
        }
    }

    @Test func noCommandPrintsARefreshToken() async throws {
        try await withSandbox(SignInTests.honest) { sandbox, world in
            var said = ""
            for command in [
                ["login", "--json", "--log"], ["status", "--json"], ["token", "sandbox", "--json"], ["token", "sandbox", "--header"],
                ["token", "sandbox", "--id-token"], ["renew", "--json"], ["renew"], ["inspect"], ["inspect", "--json"],
                ["activity", "--json"], ["providers", "show", "sandbox", "--json"], ["doctor", "--json"], ["logout", "--json"],
            ] {
                let result = await world.run(command)
                #expect(result.status == 0, "\(command): \(result.errors)")
                said += result.output + result.errors
            }
            let refresh = sandbox.requests.flatMap { request in
                [request.field("refresh_token"), request.field("token_type_hint") == "refresh_token" ? request.field("token") : nil]
            }.compactMap { $0 }
            #expect(Set(refresh).count == 3)
            for token in refresh { #expect(!said.contains(token)) }
        }
    }
}
