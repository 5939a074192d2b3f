internal import Glibc
internal import OperatingSystem

extension ProcessEnvironment {
    /// The path of `yett-sandbox`, beside this program or in `../libexec/yett`; `nil` if it is in neither.
    static var sandboxProgram: String? {
        guard let program, let slash = program.lastIndex(of: "/") else { return nil }
        let folder = program[..<slash]
        return ["\(folder)/yett-sandbox", "\(folder)/../libexec/yett/yett-sandbox"].first { access($0, X_OK) == 0 }
    }
}
