import System

/// A file that the configuration or the environment names, and that all users may read.
enum ConfiguredFile {
    struct Unreadable: Error {
        var text: String
    }

    /// Returns the content of a regular file of 16 MB at most, or why it cannot be read.
    static func contents(of path: String) -> Result<[UInt8], Unreadable> {
        do throws(RegularFile.Failure) {
            return .success(try RegularFile.read(path, limit: 16 << 20))
        } catch {
            switch error {
            case .system(let error): return .failure(Unreadable(text: error.text))
            case .tooLarge: return .failure(Unreadable(text: "larger than 16 MB"))
            case .notRegular, .foreignOwner, .accessibleToOthers: return .failure(Unreadable(text: "not a file"))
            }
        }
    }
}
