/// The reason why the launcher could not start the full program.
enum LauncherError {
    /// The kernel does not report the location of this program.
    case ownLocationUnknown
    /// The program is in none of its locations.
    case programMissing
    /// The program exists, but the kernel refuses to run it.
    case programUnusable
    /// The program is linked with a library that the system's loader cannot find.
    case libraryMissing(RequiredLibrary)

    var text: StaticString {
        switch self {
        case .libraryMissing(let library): library.message
        case .ownLocationUnknown:
            """
            yett: error: cannot find where yett is installed
            yett: hint: start it by its full path

            """
        case .programMissing:
            """
            yett: error: yett-main is missing
            yett: hint: build or install both again; yett-main must be next to yett or in ../libexec/yett

            """
        case .programUnusable:
            """
            yett: error: yett-main cannot be run
            yett: hint: build or install yett-main again, for this machine

            """
        }
    }
}
