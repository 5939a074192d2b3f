internal import AuthModel
import OperatingSystem

/// A file that the configuration or the environment names, and that all users may read.
enum ConfiguredFile {
    struct Unreadable: Error {
        var message: UserMessage
    }

    /// Returns the content of a regular file of 16 MB at most, or why it cannot be read.
    static func contents(of path: String) -> Result<[UInt8], Unreadable> {
        do throws(RegularFile.Failure) {
            return .success(try RegularFile.read(path, limit: 16 << 20))
        } catch {
            switch error {
            case .system(let error): return .failure(Unreadable(message: .verbatim(error.text)))
            case .tooLarge: return .failure(Unreadable(message: "phrase.larger_than_16_mb"))
            case .notRegular, .foreignOwner, .accessibleToOthers: return .failure(Unreadable(message: "phrase.not_a_file"))
            }
        }
    }
}
