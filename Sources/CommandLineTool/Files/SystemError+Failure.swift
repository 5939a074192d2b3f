internal import AuthModel
internal import System

extension SystemError {
    /// As a failure about a path.
    func failure(_ doing: String, hint: String? = nil) -> AuthFailure {
        AuthFailure(.configuration, "cannot \(doing): \(text)", hint: hint)
    }
}
