import Glibc
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Settings and themes that change, or are created, while the app runs.
struct FolderWatchTests {
    /// Each change is made only after the previous one was reported, so a missed change stops the test at its time limit.
    @Test(.timeLimit(.minutes(10))) func folderCreatedLaterIsWatched() async throws {
        let world = try CommandWorld()
        let folder = world.home + "/.config/yett"
        let watch = FolderWatch(folders: [folder, folder + "/themes"])
        var changes = watch.changes().makeAsyncIterator()
        // Neither the folder nor its parent exists yet.
        try PrivateFile.makeDirectory(folder)
        #expect(await changes.next() != nil)
        try PrivateFile.replace(folder + "/config.toml", with: Array("[ui]\n".utf8))
        #expect(await changes.next() != nil)
        try #require(mkdir(folder + "/themes", 0o700) == 0)
        #expect(await changes.next() != nil)
        try PrivateFile.replace(folder + "/themes/mine.toml", with: Array("# mine\n".utf8))
        #expect(await changes.next() != nil)
    }

    /// The folder is removed and created again, as a user may do.
    @Test(.timeLimit(.minutes(10))) func recreatedFolderIsWatchedAgain() async throws {
        let world = try CommandWorld()
        let themes = world.home + "/themes"
        try #require(mkdir(themes, 0o700) == 0)
        var changes = FolderWatch(folders: [themes]).changes().makeAsyncIterator()
        try #require(rmdir(themes) == 0)
        #expect(await changes.next() != nil)
        try #require(mkdir(themes, 0o700) == 0)
        #expect(await changes.next() != nil)
        try PrivateFile.replace(themes + "/mine.toml", with: Array("# mine\n".utf8))
        #expect(await changes.next() != nil)
    }
}
