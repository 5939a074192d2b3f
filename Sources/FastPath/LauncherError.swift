/// The reason why the launcher could not start the full program.
enum LauncherError {
    /// The kernel does not report the location of this program.
    case ownLocationUnknown
    /// The program is in none of its locations.
    case programMissing
    /// The program exists, but the kernel refuses to run it.
    case programUnusable

    var text: StaticString {
        switch self {
        case .ownLocationUnknown:
            """
            yett: error: cannot tell where yett is installed
            yett: hint: /proc must be mounted; or run yett-main instead

            """
        case .programMissing:
            """
            yett: error: yett-main is missing
            yett: hint: it belongs beside yett or in ../libexec/yett; build or install both again

            """
        case .programUnusable:
            """
            yett: error: yett-main cannot be run
            yett: hint: it must be an executable for this machine; build or install it again

            """
        }
    }
}
