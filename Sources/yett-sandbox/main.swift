SandboxProgram.main()
