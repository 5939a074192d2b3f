internal import CLauncher

/// The shared libraries that the full program's release build is linked with, beside the C library. Without one, the system's loader would
/// end it with a message about a file.
enum RequiredLibrary: CaseIterable {
    case standardCxx, compiler

    /// The library's file name.
    private var name: StaticString {
        switch self {
        case .standardCxx: "libstdc++.so.6"
        case .compiler: "libgcc_s.so.1"
        }
    }

    /// The message for a missing library, with the packages of Debian and Fedora.
    var message: StaticString {
        switch self {
        case .standardCxx:
            """
            yett: error: a library is missing: libstdc++.so.6
            yett: hint: install the package libstdc++6 (Debian, Ubuntu) or libstdc++ (Fedora)

            """
        case .compiler:
            """
            yett: error: a library is missing: libgcc_s.so.1
            yett: hint: install the package libgcc-s1 (Debian, Ubuntu) or libgcc (Fedora)

            """
        }
    }

    /// Returns a library that the program at `path` needs and the loader cannot find; `nil` if there is none.
    ///
    /// The loader is asked only if the library is in none of the usual folders, because that takes longer than everything else here.
    static func missing(for path: UnsafePointer<CChar>) -> RequiredLibrary? {
        for library in allCases where !library.isInUsualFolder {
            let name = UnsafeRawPointer(library.name.utf8Start).assumingMemoryBound(to: CChar.self)
            if claunch_loader_lacks(path, name) != 0 { return library }
        }
        return nil
    }

    private var isInUsualFolder: Bool {
        #if arch(arm64)
            let debian: (StaticString, StaticString) = ("/lib/aarch64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/")
        #else
            let debian: (StaticString, StaticString) = ("/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/")
        #endif
        return isIn(debian.0) || isIn(debian.1) || isIn("/lib64/") || isIn("/usr/lib64/") || isIn("/usr/lib/")
    }

    private func isIn(_ folder: StaticString) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            var writer = ByteWriter(buffer)
            writer.append(folder)
            writer.append(name)
            writer.append("\0")
            guard writer.isValid, let start = buffer.baseAddress else { return false }
            return access(start.assumingMemoryBound(to: CChar.self), R_OK) == 0
        }
    }
}
