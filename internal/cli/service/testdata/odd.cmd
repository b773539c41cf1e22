@echo off
rem OpenClaw Gateway (profile: work, v)
cd /d "/home/ü x/%%h"
set "NAME=a b $c %%d%% <e>"
set "OPENCLAW_SERVICE_KIND=gateway"
set "OPENCLAW_SERVICE_MARKER=openclaw"
set "OPENCLAW_SERVICE_VERSION=v"
set "OPENCLAW_WINDOWS_TASK_NAME=OpenClaw Gateway (work)"
"/opt/a b/50%%/openclaw" gateway run "--x=$HOME;<&>'\"
