internal import AuthModel
internal import OperatingSystem

/// A small file with a secret, which only its owner can read.
enum PrivateFileReader {
    private static let limit = 64 << 10

    /// Returns the content of the file.
    ///
    /// - Parameters:
    ///   - name: what the file is called in the configuration.
    ///   - hint: what to do if the file is missing or of no use.
    /// - Throws: `.configuration`, naming the file, when it cannot be read, is not a regular file, is larger than 64 KiB, or can be read by
    ///   other users.
    static func contents(of path: String, called name: UserMessage, hint: UserMessage) throws(AuthFailure) -> Secret {
        do throws(RegularFile.Failure) {
            return Secret(bytes: try RegularFile.read(path, limit: limit, access: .owner, checksOwner: false))
        } catch {
            switch error {
            case .system(let error):
                throw AuthFailure(
                    .configuration, UserMessage("file.named_unreadable", ["name": name, "path": path, "detail": error.text]), hint: hint)
            case .notRegular:
                throw AuthFailure(.configuration, UserMessage("file.named_not_a_file", ["name": name, "path": path]), hint: hint)
            case .foreignOwner, .accessibleToOthers:
                throw AuthFailure(
                    .configuration, UserMessage("file.named_readable_by_others", ["name": name, "path": path]),
                    hint: UserMessage("hint.chmod_600", ["path": path]))
            case .tooLarge:
                throw AuthFailure(
                    .configuration, UserMessage("file.named_too_large", ["name": name, "path": path, "limit": limit >> 10]), hint: hint)
            }
        }
    }
}
