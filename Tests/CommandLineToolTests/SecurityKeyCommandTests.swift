import AuthModel
import Glibc
import SessionStore
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The commands on a store that a security key opens, with libfido2 and keys in software.
struct SecurityKeyCommandTests {
    private let key = SoftwareKey(.init(pin: "123456"))

    private func withStore(
        _ seal: String = "key-file", keys: [SoftwareKey] = [], _ body: (CommandWorld) async throws -> Void
    ) async throws {
        let location = SoftwareKey.location([key] + keys)
        try await withSandbox(SignInTests.honest, more: "[store]\nseal = \"\(seal)\"", securityKeys: location) { _, world in
            try await body(world)
        }
    }

    private func enter(_ lines: String..., in world: CommandWorld, _ arguments: String...) async -> CommandResult {
        await world.run(arguments, user: .init(hasTerminal: true, hiddenLines: lines))
    }

    @Test func sealsAStoreWithAKeyAndOpensItWithItsPIN() async throws {
        try await withStore { world in
            try await world.signIn()
            let token = await world.run("token", "sandbox").output
            let unasked = await world.run("seal", "security-key")
            #expect(unasked.status == 2 && key.touches == 0)
            #expect(
                unasked.errors == "yett: error: the PIN of the security key is needed\nyett: hint: run this in a terminal\n")
            let result = await enter("123456", in: world, "seal", "security-key")
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.errors.contains("PIN of the security key to enrol (empty if it has none):"))
            #expect(result.errors.contains("Touch your security key each time it blinks.\n"))
            #expect(result.errors.hasSuffix("the store's key is now kept by: security-key\n"))
            #expect(try world.text(world.configurationPath).contains("seal = \"security-key\""))
            #expect(access(world.storeDirectory + "/sessions.key", F_OK) != 0)
            let opened = await enter("123456", in: world, "token", "--show", "sandbox")
            #expect(opened.status == 0 && opened.output == token, "\(opened.errors)")
            #expect(opened.errors.contains("Touch your security key each time it blinks.\n"))
            let shown = try await world.run("seal", "--json").json
            #expect(shown["seal"] == "security-key" && shown["security_keys"] == 1 && shown["locked"] == true)
            let limits = await world.run("seal").output
            #expect(limits.contains("does not protect from: the loss of the key: add a spare with yett seal --add-key\n"))
            #expect(await world.run("doctor").output.contains("ok   security key  plugged in: 1\n"))
            // The key is checked also where only the store says that it needs one.
            let text = try world.text(world.configurationPath)
            try world.configure(text.replacing("seal = \"security-key\"", with: "seal = \"auto\""))
            #expect(await world.run("doctor").output.contains("ok   security key  plugged in: 1\n"))
            try world.configure(text)
            let back = await enter("123456", in: world, "seal", "key-file")
            #expect(back.status == 0, "\(back.errors)")
            #expect(await world.run("token", "sandbox").output == token)
        }
    }

    @Test func wrongPINIsAskedOnceAndNeverTakenFromAFile() async throws {
        try await withStore { world in
            try await world.signIn()
            #expect(await enter("123456", in: world, "seal", "security-key").status == 0)
            let pins = key.pins
            let wrong = await enter("654321", "123456", in: world, "token", "--show", "sandbox")
            #expect(wrong.status == 2 && wrong.output == "")
            #expect(wrong.errors.contains("yett: error: wrong PIN of the security key; tries left: 7\n"), "\(wrong.errors)")
            #expect(key.pins == pins + 1)
            let file = world.home + "/pin"
            try PrivateFile.replace(file, with: Array("123456\n".utf8))
            let unasked = await world.run("token", "sandbox", with: ["YETT_PASSPHRASE_FILE": file], exits: 2)
            #expect(
                unasked.errors == "yett: error: the store needs your security key\n"
                    + "yett: hint: unlock it in a terminal with: yett agent unlock\n")
            #expect(await world.run("status", with: ["YETT_PASSPHRASE_FILE": file]).output.contains("sandbox/"))
            #expect(key.pins == pins + 1)
        }
    }

    @Test func newStoreIsCreatedWithTheKey() async throws {
        try await withStore("security-key") { (world) async throws in
            let touches = key.touches
            let result = await enter("123456", in: world, "login")
            #expect(result.status == 0, "\(result.errors)")
            #expect(key.touches == touches + 2)
            #expect(try await world.run("seal", "--json").json["security_keys"] == 1)
            #expect(await enter("123456", in: world, "token", "--show", "sandbox").status == 0)
        }
    }

    @Test func secondKeyIsAdded() async throws {
        let second = SoftwareKey()
        try await withStore(keys: [second]) { world in
            try await world.signIn()
            let early = await world.run("seal", "--add-key", exits: 2)
            #expect(
                early.errors == "yett: error: no security key opens the store yet\n"
                    + "yett: hint: seal it with your first key: yett seal security-key\n")
            let text = try world.text(world.configurationPath)
            let several = await enter("123456", in: world, "seal", "security-key")
            #expect(several.status == 2 && several.errors.contains("several security keys are plugged in"), "\(several.errors)")
            #expect(try world.text(world.configurationPath) == text)
            // Only the second key has no hmac-secret yet, as if it were not there.
            second.behave { $0.hasSecrets = false }
            #expect(await enter("123456", in: world, "seal", "security-key").status == 0)
            second.behave { $0.hasSecrets = true }
            let added = await enter("123456", "", in: world, "seal", "--add-key")
            #expect(added.status == 0, "\(added.errors)")
            #expect(added.errors.contains("security keys that open the store: 2\n"))
            #expect(added.output.contains("opened by any of your 2 security keys"))
            let other = try CommandWorld(securityKeys: SoftwareKey.location([second]))
            try other.configure(world.text(world.configurationPath))
            try PrivateFile.makeDirectory(other.storeDirectory, isPrivate: true)
            try PrivateFile.replace(other.storePath, with: try #require(try PrivateFile.read(world.storePath)))
            #expect(await enter("", in: other, "token", "--show", "sandbox").status == 0)
            #expect(await world.run("seal", "system", "--add-key").status == 64)
        }
    }

    @Test func missingKeyIsSaid() async throws {
        let world = try CommandWorld.configured("[store]\nseal = \"security-key\"\n")
        let checked = await world.run("doctor")
        let warning = "warn security key  no security key is plugged in, or this login may not use it\n"
        #expect(checked.output.contains(warning), "\(checked.output)")
    }
}
