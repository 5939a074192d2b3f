import AuthModel
import Glibc
import OperatingSystem
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Files with wrong permissions, wrong content or damage.
struct FilesTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    @Test func configurationWritableByOthersIsRefused() async throws {
        let world = try CommandWorld.configured("")
        for mode: mode_t in [0o620, 0o602, 0o666] {
            chmod(world.configurationPath, mode)
            let result = await world.run("status", exits: 2)
            #expect(result.errors.contains("can be changed by others"))
            #expect(result.errors.contains("yett: hint: run: chmod go-w"))
        }
        chmod(world.configurationPath, 0o644)
        #expect(await world.run("status").status == 0)
        chmod(world.home + "/.config/yett", 0o777)
        #expect(await world.run("status").status == 2)
    }

    /// Nothing is written into a folder that others can read, and a warning says so.
    @Test(arguments: [
        ("/.local/state/yett", "nothing is recorded in the activity log"), ("/.cache/yett", "provider metadata is not cached"),
    ])
    func folderReadableByOthersIsNotUsed(folder: String, consequence: String) async throws {
        try await withSandbox(SignInTests.honest) { _, world in
            try PrivateFile.makeDirectory(world.home + folder)
            chmod(world.home + folder, 0o755)
            let result = await world.run("login", exits: 0)
            #expect(result.errors.contains("yett: warning: \(consequence)"))
            #expect(result.errors.contains("yett: hint: run: chmod 700 \(world.home)\(folder)\n"))
            #expect(FolderListing.names(in: world.home + folder).isEmpty)
            let doctor = await world.run("doctor", exits: 2)
            #expect(doctor.output.contains("\(world.home)\(folder) can be read by others"))
        }
    }

    /// A program that may only read the folder of the configuration can hold its lock for ever.
    @Test func heldLockOfAFolderEndsTheWait() throws {
        let holder = open(world.home, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(holder) }
        #expect(flock(holder, LOCK_EX | LOCK_NB) == 0)
        let failure = #expect(throws: AuthFailure.self) {
            try PrivateFile.withLock(on: world.home, attempts: 2) { () throws(AuthFailure) in }
        }
        #expect(failure?.message.code == "file.folder_is_locked" && failure?.hint?.code == "hint.end_program_with_lock")
        flock(holder, LOCK_UN)
        #expect(try PrivateFile.withLock(on: world.home, attempts: 2) { () throws(AuthFailure) in true })
    }

    @Test func doctorNamesAStoreFolderReadableByOthers() async throws {
        try PrivateFile.makeDirectory(world.storeDirectory)
        chmod(world.storeDirectory, 0o755)
        let doctor = await world.run("doctor", exits: 2)
        #expect(doctor.output.contains("run: chmod 700 \(world.storeDirectory)"))
    }

    @Test func irregularFileIsRefused() async throws {
        try #require(mkfifo(world.home + "/pipe", 0o600) == 0)
        let pipe = await world.run("status", "--config", "pipe", exits: 2)
        #expect(pipe.errors.contains("is not a regular file"))
        #expect(await world.run("status", "--config", world.home).status == 2)
    }

    @Test func textThatIsNotUTF8IsReported() async throws {
        try PrivateFile.replace(world.home + "/x.toml", with: [0x23, 0xFF, 0x0A])
        let result = await world.run("status", "--config", "x.toml", exits: 2)
        #expect(result.errors.contains("is not UTF-8 text"))
    }

    @Test func replacingKeepsTheModeAndFollowsALink() throws {
        let real = world.home + "/real.toml"
        try PrivateFile.replace(real, with: Array("old".utf8))
        #expect(FileStatus.mode(real) == 0o600)
        chmod(real, 0o640)
        symlink(real, world.home + "/link.toml")
        try PrivateFile.replace(world.home + "/link.toml", with: Array("new".utf8))
        #expect(try world.text(real) == "new")
        #expect(FileStatus.mode(real) == 0o640)
        #expect(FolderListing.names(in: world.home).sorted() == ["link.toml", "real.toml"])
    }

    @Test func replacingFollowsALinkToAMissingFile() throws {
        try #require(symlink("kept/file", world.home + "/first") == 0 && symlink("first", world.home + "/second") == 0)
        try PrivateFile.makeDirectory(world.home + "/kept")
        try PrivateFile.replace(world.home + "/second", with: Array("text".utf8))
        #expect(try world.text(world.home + "/kept/file") == "text")
        #expect(FileSnapshot.isLink(world.home + "/first") && FileSnapshot.isLink(world.home + "/second"))
    }

    /// Another group would get the rights of the file's own group.
    @Test func replacingKeepsTheGroup() throws {
        let path = world.home + "/file"
        try PrivateFile.replace(path, with: [])
        // Only root may give a file any group, another user only the user's own ones.
        var own = [gid_t](repeating: 0, count: 64)
        let count = Int(max(getgroups(64, &own), 0))
        let group = getuid() == 0 ? 4321 : own.prefix(count).first { $0 != getegid() } ?? getegid()
        try #require(chown(path, uid_t.max, group) == 0 && chmod(path, 0o640) == 0)
        try PrivateFile.replace(path, with: Array("text".utf8))
        var status = stat()
        try #require(stat(path, &status) == 0)
        #expect(status.st_gid == group)
        #expect(status.st_mode & 0o777 == 0o640)
    }

    @Test func failedReplacementCreatesNoFile() throws {
        let path = world.home + "/folder/x.toml"
        #expect(throws: AuthFailure.self) { try PrivateFile.replace(path, with: []) }
        #expect(!FileStatus.exists(path))
    }

    /// A damaged store is refused with one clear error, and is not changed.
    @Test(arguments: ["flipped", "cut", "empty", "loose", "no key", "wrong key"])
    func damagedStoreIsRefusedAndUnchanged(damage: String) async throws {
        try await withSession(SignInTests.honest) { _, world in
            let bytes = try #require(try PrivateFile.read(world.storePath))
            let key = world.storeDirectory + "/sessions.key"
            var damaged = bytes
            switch damage {
            case "flipped": damaged[bytes.count / 2] ^= 0x40
            case "cut": damaged = Array(bytes.prefix(bytes.count / 2))
            case "empty": damaged = []
            case "no key": unlink(key)
            case "wrong key": try PrivateFile.replace(key, with: Array(String(repeating: "a", count: 64).utf8) + [0x0A])
            default: break
            }
            if damaged != bytes { try PrivateFile.replace(world.storePath, with: damaged) }
            if damage == "loose" { chmod(world.storePath, 0o644) }
            let result = await world.run("token", "sandbox", exits: 2)
            #expect(result.output == "")
            #expect(result.errors.contains("yett: error: ") && result.errors.contains("yett: hint: "))
            if damage == "loose" { chmod(world.storePath, 0o600) }
            #expect(try PrivateFile.read(world.storePath) == damaged)
        }
    }

    @Test func passphraseStoreOpensOnlyWithItsPassphrase() async throws {
        try await withSandbox(SignInTests.honest, more: "[store]\nseal = \"passphrase\"") { _, world in
            try PrivateFile.replace(world.home + "/right", with: Array("open sesame\n".utf8))
            try PrivateFile.replace(world.home + "/wrong", with: Array("open barley\n".utf8))
            let right = ["YETT_PASSPHRASE_FILE": world.home + "/right"]
            let none = await world.run("login", exits: 2)
            #expect(none.errors.contains("the new store needs a passphrase"))
            #expect(await world.run("login", with: right).status == 0)
            #expect(await world.run("token", "sandbox", with: right).status == 0)
            // Commands without secrets work while the store is locked.
            #expect(await world.run("status").output.contains("sandbox/ada"))
            let locked = await world.run("token", "sandbox", exits: 2)
            #expect(locked.errors.contains("the store is locked"))
            let wrong = await world.run("token", "sandbox", with: ["YETT_PASSPHRASE_FILE": world.home + "/wrong"], exits: 2)
            #expect(wrong.errors.contains("wrong passphrase for the store"))
            chmod(world.home + "/right", 0o644)
            #expect(await world.run("token", "sandbox", with: right).errors.contains("can be read by others"))
            let typed = await world.run(
                "token", "sandbox", "--show", user: .init(hasTerminal: true, hiddenLines: ["open barley", "open sesame"]), exits: 0)
            #expect(!typed.errors.contains("sesame"))
        }
    }

    @Test func memoryStoreKeepsNothing() async throws {
        try await withSession(SignInTests.honest, more: "[store]\nseal = \"memory\"") { (_, world) async throws in
            #expect(!FileStatus.exists(world.storePath))
            #expect(try await world.sessions().isEmpty)
        }
    }
}
