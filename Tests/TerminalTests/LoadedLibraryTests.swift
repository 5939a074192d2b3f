import ProcessHarness
import TestSupport
import Testing

/// The release program with a library of C++ in it, as a module of a name service or of a TLS key store can be.
///
/// The release program has no tables for unwinding the stack (`unwinding.ld`). A library that catches its own exceptions and ends its own
/// threads finds its own tables, and those of the C library; this fails where that is no longer so.
@Suite(
    .startsPrograms, .timeLimit(.minutes(10)),
    .enabled(if: (Product.installed("clang++") ?? Product.installed("g++")) != nil, "no compiler for C++ is installed"))
struct LoadedLibraryTests {
    @Test func exceptionsAndThreadsOfALibraryEndInTheLibrary() async throws {
        let home = try TemporaryHome()
        let source = try home.write(
            """
            #include <pthread.h>
            #include <stdexcept>
            #include <string>
            #include <unistd.h>
            static void *exits(void *) { pthread_exit(nullptr); }
            static void *waits(void *) { for (;;) pause(); }
            __attribute__((constructor)) static void load() {
                std::string seen;
                try { throw std::runtime_error("caught"); } catch (const std::exception &error) { seen = error.what(); }
                pthread_t thread;
                void *result;
                if (pthread_create(&thread, nullptr, exits, nullptr) == 0 && pthread_join(thread, nullptr) == 0) seen += " exited";
                if (pthread_create(&thread, nullptr, waits, nullptr) == 0 && pthread_cancel(thread) == 0 &&
                    pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED) seen += " cancelled\\n";
                if (write(2, seen.data(), seen.size()) < 0) _exit(1);
            }
            """, to: "library.cc")
        let library = home.path + "/library.so"
        let compiler = try #require(Product.installed("clang++") ?? Product.installed("g++"))
        let compiled = try await Program(
            compiler, ["-shared", "-fPIC", "-pthread", "-o", library, source], environment: home.environment, limit: .seconds(300)
        ).run()
        try #require(compiled.status == 0, "\(compiled.errors)")

        let result = try await Program(
            try Product.program("yett-main"), ["--version"], environment: home.environment(with: ["LD_PRELOAD": library]),
            limit: .seconds(300)
        ).run()
        #expect(result.status == 0)
        // More than one line, because the program starts itself again.
        #expect(Set(result.errors.split(separator: "\n")) == ["caught exited cancelled"])
    }
}
