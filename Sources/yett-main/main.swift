import CommandLineTool

Program.main()
