import ProcessHarness
import Testing

/// The folder outside the source tree in which `Tests/run` keeps the compiled dependencies.
@Suite struct BuildFolderTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    /// Runs a script that knows the functions of the test scripts, and returns its output.
    private func run(_ script: String) async throws -> String {
        let result = try await Program(
            "/bin/bash", ["-c", ". Tests/RealProviders/common.sh; \(script)"],
            environment: home.environment(with: ["YETT_TEST_CACHE": home.path + "/cache", "PATH": Product.searchPath]),
            folder: Product.sourceTree
        ).run()
        #expect(result.status == 0, "\(result)")
        return result.output
    }

    @Test func completeFolderKeepsDependenciesAlone() async throws {
        let place = "$scratch/triple/debug"
        _ = try await run(
            """
            use_build_folder
            mkdir -p \(place)/{NIOCore,AuthModel,yett_main,yettPackageTests}.build \(place)/Modules $scratch/plugins/outputs/{yett,other}
            touch \(place)/{yett-main,yettPackageTests.xctest} \(place)/Modules/{NIOCore,AuthModel,agent_probe}.swiftmodule
            keep_build_folder
            """)
        let kept = try await run("use_build_folder; forget_own_modules; cd $scratch; find . -mindepth 3 | sort")
        #expect(
            kept == """
                ./plugins/outputs/other
                ./triple/debug/Modules
                ./triple/debug/Modules/NIOCore.swiftmodule
                ./triple/debug/NIOCore.build

                """)
    }

    @Test func folderWhoseBuildDidNotEndBeginsFromNothing() async throws {
        _ = try await run("use_build_folder; touch $scratch/half-written")
        #expect(try await run("use_build_folder; ls $scratch") == "")
        _ = try await run("use_build_folder; touch $scratch/whole; keep_build_folder")
        #expect(try await run("use_build_folder; ls $scratch") == "whole\n")
    }

    @Test func folderOfAnotherRunIsLeftToIt() async throws {
        let scratch = try await run("use_build_folder; (unset scratch; use_build_folder; echo $scratch)")
        #expect(scratch == ".build\n")
    }
}
