internal import AuthModel
internal import System

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
    static func contents(of path: String, called name: String, hint: String) throws(AuthFailure) -> Secret {
        do throws(RegularFile.Failure) {
            return Secret(bytes: try RegularFile.read(path, limit: limit, access: .owner, checksOwner: false))
        } catch {
            switch error {
            case .system(let error):
                throw AuthFailure(.configuration, "\(name) \(path) cannot be read: \(error.text)", hint: hint)
            case .notRegular:
                throw AuthFailure(.configuration, "\(name) \(path) is not a file", hint: hint)
            case .foreignOwner, .accessibleToOthers:
                throw AuthFailure(.configuration, "\(name) \(path) can be read by others", hint: "run: chmod 600 \(ShellWord(path))")
            case .tooLarge:
                throw AuthFailure(.configuration, "\(name) \(path) is larger than \(limit >> 10) kB", hint: hint)
            }
        }
    }
}
