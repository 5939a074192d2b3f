package import AuthModel
package import OperatingSystem

extension SystemError {
    /// Returns the error as a failure. `operation` is a verb, such as `phrase.read`.
    package func failure(_ operation: UserMessage, _ path: String, hint: UserMessage? = nil) -> AuthFailure {
        let message = UserMessage("file.operation_failed", ["operation": operation, "path": path, "detail": text])
        return AuthFailure(.configuration, message, hint: hint)
    }
}
