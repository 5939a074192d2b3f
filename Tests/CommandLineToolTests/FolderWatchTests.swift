import Glibc
import Testing

@testable import CommandLineTool

/// Settings and themes that are changed, or come to be, while the app runs.
struct FolderWatchTests {
    /// Each next thing is done only when the one before was told, so one that is not told leaves the test waiting, and its limit ends it.
    @Test(.timeLimit(.minutes(1))) func aFolderThatComesLaterIsWatched() async throws {
        let world = try CommandWorld()
        let folder = world.home + "/.config/yett"
        let watch = FolderWatch(folders: [folder, folder + "/themes"])
        var changes = watch.changes().makeAsyncIterator()
        // Neither the folder nor the one above it is there yet.
        try PrivateFile.makeDirectory(folder)
        #expect(await changes.next() != nil)
        try PrivateFile.replace(folder + "/config.toml", with: Array("[ui]\n".utf8))
        #expect(await changes.next() != nil)
        try #require(mkdir(folder + "/themes", 0o700) == 0)
        #expect(await changes.next() != nil)
        try PrivateFile.replace(folder + "/themes/mine.toml", with: Array("# mine\n".utf8))
        #expect(await changes.next() != nil)
    }

    /// Taken away and put back, as a person does who tries something.
    @Test(.timeLimit(.minutes(1))) func aFolderThatWasTakenAwayIsWatchedAgain() async throws {
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
