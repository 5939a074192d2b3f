package import AuthModel
package import System

extension SystemError {
    /// Returns the error as a failure; `doing` is the operation and its path, such as "read PATH".
    package func failure(_ doing: String, hint: String? = nil) -> AuthFailure {
        AuthFailure(.configuration, "cannot \(doing): \(text)", hint: hint)
    }
}
