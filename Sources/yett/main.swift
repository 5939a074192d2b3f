import FastPath

Launcher.closeMemory()
Launcher.end(with: Launcher.exitStatus() ?? Launcher.becomeProgram())
