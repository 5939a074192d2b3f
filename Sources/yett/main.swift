import FastPath
import Glibc

Launcher.closeMemory()
if let status = Launcher.exitStatus(count: CommandLine.argc, arguments: CommandLine.unsafeArgv) { exit(status) }
exit(Launcher.becomeProgram(CommandLine.unsafeArgv))
