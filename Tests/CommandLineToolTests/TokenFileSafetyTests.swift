import AuthModel
import Glibc
import ProcessHarness
import Testing

@testable import CommandLineTool

/// Where a token may be written: with mode 0600, through no link, and below no folder that another user can change.
struct TokenFileSafetyTests {
    private let home: TemporaryHome
    private let list: TokenFileList

    init() throws {
        home = try TemporaryHome()
        list = TokenFileList(folder: home.path + "/state")
    }

    private func file(_ name: String) throws -> TokenFile {
        TokenFile(path: "\(home.path)/\(name)", session: try #require(SessionName("work/ada")))
    }

    private func makeFolder(_ name: String, mode: mode_t = 0o700) {
        #expect(mkdir("\(home.path)/\(name)", 0o700) == 0 && chmod("\(home.path)/\(name)", mode) == 0)
    }

    private func write(to file: TokenFile) throws(AuthFailure) { _ = try list.write(Secret("token"), to: file) }

    /// Checks that no token is written, and returns why.
    private func refusal(of file: TokenFile) -> UserMessage? {
        do throws(AuthFailure) {
            try write(to: file)
            Issue.record("a token was written to \(file.path)")
            return nil
        } catch {
            #expect(error.kind == .configuration)
            return error.message
        }
    }

    private func status(_ name: String) -> stat? {
        var status = stat()
        return lstat("\(home.path)/\(name)", &status) == 0 ? status : nil
    }

    /// A loose mode does not outlast the next token, and a file that has the old one open does not get the new one.
    @Test func everyTokenHasAFileOfItsOwnWithMode0600() throws {
        let file = try file("token")
        try list.add(file)
        try write(to: file)
        #expect(chmod(file.path, 0o644) == 0 && link(file.path, home.path + "/other") == 0)
        let number = status("token")?.st_ino
        try write(to: file)
        #expect(status("token").map { $0.st_mode & 0o777 } == 0o600)
        #expect(status("token")?.st_ino != number && status("other")?.st_ino == number)
        #expect(home.files.filter { $0.hasSuffix(".tmp") }.isEmpty)
    }

    @Test func linkInsteadOfTheFileIsNotFollowed() throws {
        let file = try file("token")
        try list.add(file)
        try home.write("page", to: "public")
        #expect(symlink(home.path + "/public", file.path) == 0)
        #expect(refusal(of: file) == UserMessage("token_file.link", ["path": file.path]))
        #expect(home.read("public") == Array("page".utf8))
        try list.empty(file)
        #expect(status("token") != nil, "the user's link stays")
    }

    /// The folder is a link from the beginning, or becomes one later, at any depth.
    @Test(arguments: ["a", "a/b"])
    func linkInThePathIsNotFollowed(replaced: String) throws {
        let file = try file("a/b/token")
        makeFolder("a")
        makeFolder("a/b")
        makeFolder("public")
        makeFolder("public/b")
        try list.add(file)
        try write(to: file)
        let link = "\(home.path)/\(replaced)"
        #expect(rename(link, home.path + "/moved") == 0)
        #expect(symlink(home.path + "/public", link) == 0)
        try home.write("page", to: "public/token")
        #expect(refusal(of: file) == UserMessage("token_file.link", ["path": link]))
        try list.empty(file)
        #expect(home.read("public/token") == Array("page".utf8) && home.read("public/b/token") == nil)
        _ = try list.end(file.path)
        #expect(throws: AuthFailure.self) { try list.add(file) }
    }

    /// Not only the last folder counts. A folder such as `/tmp` above a folder of the user is safe.
    @Test func folderThatOthersCanChangeIsRefused() throws {
        makeFolder("shared", mode: 0o777)
        makeFolder("shared/own")
        let below = try file("shared/own/token")
        #expect(throws: AuthFailure.self) { try list.add(below) }
        #expect(chmod(home.path + "/shared", 0o1777) == 0)
        try list.add(below)
        try write(to: below)
        // In the shared folder itself, other users can take the name of a file while it is missing.
        #expect(throws: AuthFailure.self) { try list.add(try file("shared/token")) }
        #expect(chmod(home.path + "/shared", 0o770) == 0)
        #expect(refusal(of: below) == UserMessage("file.changeable_by_others", ["path": home.path + "/shared"]))
        #expect(throws: AuthFailure.self) { try TokenFileList.hasToken(below) }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a folder of another user"))
    func folderOfAnotherUserIsRefused() throws {
        makeFolder("theirs")
        makeFolder("theirs/own")
        let file = try file("theirs/own/token")
        try list.add(file)
        #expect(chown(home.path + "/theirs", 65_534, 65_534) == 0)
        #expect(refusal(of: file) == UserMessage("file.belongs_to_other_user", ["path": home.path + "/theirs"]))
        #expect(status("theirs/own/token") == nil)
    }

    @Test(arguments: ["/", "/tmp/..", "relative"])
    func pathWithoutAFileIsRefused(path: String) throws {
        let file = TokenFile(path: path, session: try #require(SessionName("work")))
        #expect(throws: AuthFailure.self) { try list.add(file) }
    }
}
