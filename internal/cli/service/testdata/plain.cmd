@echo off
rem OpenClaw Gateway (2026.3.13-go.0.1.0)
cd /d /home/u/.openclaw
set "HOME=/home/u"
set "OPENCLAW_GATEWAY_PORT=18789"
set "OPENCLAW_SERVICE_KIND=gateway"
set "OPENCLAW_SERVICE_MARKER=openclaw"
set "OPENCLAW_SERVICE_VERSION=2026.3.13-go.0.1.0"
set "OPENCLAW_WINDOWS_TASK_NAME=OpenClaw Gateway"
set "PATH=/usr/bin:/bin"
/usr/local/bin/openclaw gateway run --port 18789 >> /home/u/.openclaw/logs/gateway.log 2>&1
