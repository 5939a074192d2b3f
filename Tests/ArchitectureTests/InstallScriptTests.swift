import Glibc
import ProcessHarness
import Testing

/// The install script of the tar archive, with an archive of a few files.
struct InstallScriptTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        for (path, text) in [
            ("archive/bin/yett", "launcher"), ("archive/libexec/yett/yett-main", "program"), ("archive/share/doc/yett/README.md", "text"),
            (
                "archive/share/systemd/user/yett-agent.service",
                "[Service]\nExecStart=/libexec/yett/yett-main agent run\nLimitCORE=0\n"
            ),
        ] {
            try home.write(text, to: path)
        }
        let script = try #require(try? String(decoding: Self.bytes(Product.sourceTree + "/.packaging/install"), as: UTF8.self))
        try home.write(script, to: "archive/install")
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    private func install(_ prefix: String, _ arguments: String..., umask: String = "022") async throws -> ProgramResult {
        let line = "umask \(umask); exec sh \"$0\" --prefix \"$@\""
        return try await Program(
            "/bin/sh", ["-c", line, home.path + "/archive/install", prefix] + arguments,
            environment: ["PATH": "/usr/bin:/bin:/usr/sbin:/sbin"],
            folder: home.path
        ).run()
    }

    private func mode(_ path: String) -> mode_t? {
        var status = stat()
        return lstat("\(home.path)/\(path)", &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    private func text(_ path: String) -> String? { home.read(path).map { String(decoding: $0, as: UTF8.self) } }

    /// A link where a folder or a file is expected, and a name that an earlier version wrote to first, lead nowhere.
    @Test(arguments: ["", "bin", "share/systemd", "libexec/yett", "share/doc/yett"])
    func linksAreNotFollowed(folder: String) async throws {
        #expect(mkdir(home.path + "/elsewhere", 0o755) == 0)
        try home.write("theirs", to: "elsewhere/file")
        let isFile = folder.isEmpty
        try home.write("", to: isFile ? "opt/bin/other" : "opt/\(folder)-other/file")
        for name in isFile ? ["bin/yett", "bin/yett.new", "bin/yett-main.new"] : [] {
            #expect(symlink(home.path + "/elsewhere/file", "\(home.path)/opt/\(name)") == 0)
        }
        if !isFile { #expect(symlink(home.path + "/elsewhere", "\(home.path)/opt/\(folder)") == 0) }
        let result = try await install(home.path + "/opt")
        #expect(result.status == (isFile ? 0 : 1), "\(result)")
        #expect(text("elsewhere/file") == "theirs")
        #expect(home.files.filter { $0.hasPrefix("elsewhere/") } == ["elsewhere/file"])
        if isFile { #expect(text("opt/bin/yett") == "launcher" && mode("opt/bin/yett") == 0o755) }
        let removal = try await install(home.path + "/opt", "--uninstall")
        #expect(removal.status == (isFile ? 0 : 1), "\(removal)")
        #expect(text("elsewhere/file") == "theirs")
    }

    @Test func folderThatEverybodyCanChangeIsRefused() async throws {
        try home.write("", to: "opt/libexec/other")
        #expect(chmod(home.path + "/opt/libexec", 0o777) == 0)
        #expect(try await install(home.path + "/opt").status == 1)
        #expect(home.files.filter { $0.hasPrefix("opt/") } == ["opt/libexec/other"])
    }

    @Test func everybodyCanRunWhatIsInstalledUnderAnyUmask() async throws {
        let result = try await install(home.path + "/opt", umask: "077")
        #expect(result.status == 0, "\(result)")
        for folder in ["opt", "opt/bin", "opt/libexec/yett", "opt/share/systemd/user"] { #expect(mode(folder) == 0o755) }
        for program in ["opt/bin/yett", "opt/libexec/yett/yett-main"] { #expect(mode(program) == 0o755) }
        for file in ["opt/share/systemd/user/yett-agent.service", "opt/share/doc/yett/README.md"] { #expect(mode(file) == 0o644) }
        #expect(try await install(home.path + "/opt", "--uninstall").status == 0)
        #expect(home.files.filter { $0.hasPrefix("opt/") }.isEmpty)
    }

    /// The unit names the program as systemd reads it.
    @Test(arguments: [
        ("plain", "plain"), ("a|b", "a|b"), ("a&b c", "a&b c"), ("a\"b\\c", "a\\\"b\\\\c"), ("50%$HOME", "50%%$HOME"), ("it's", "it's"),
    ])
    func prefixMayHaveAnyCharacter(name: String, written: String) async throws {
        let result = try await install("\(home.path)/\(name)/")
        #expect(result.status == 0, "\(result)")
        #expect(
            text("\(name)/share/systemd/user/yett-agent.service")
                == "[Service]\nExecStart=\"\(home.path)/\(written)/libexec/yett/yett-main\" agent run\nLimitCORE=0\n")
        #expect(try await install("\(home.path)/a\nb").status == 64)
    }
}
