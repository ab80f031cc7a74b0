#!/bin/sh
# Serve Hopscribe in a Hugging Face Space: what the Space says of itself becomes Hopscribe's settings.
set -eu

: "${SPACE_HOST:?is not set. Spaces set it; elsewhere, run: hopscribe serve}"
: "${SECRET_KEY:?is not set. Add it to the secrets of the Space: at least 50 random characters}"
export ALLOWED_HOSTS="${ALLOWED_HOSTS:-$SPACE_HOST,127.0.0.1}"
export PUBLIC_URL="${PUBLIC_URL:-https://$SPACE_HOST}"
export BIND=0.0.0.0:7860
export FORWARDED_ALLOW_IPS="*"  # nothing but the proxy of the Space reaches its containers

# What is not mounted is part of the container, and goes with it.
storage="${HOPSCRIBE_VAR:-/data}"
if mountpoint -q "$storage" && [ -w "$storage" ]; then
    export HOPSCRIBE_VAR="$storage"
else
    export HOPSCRIBE_VAR="$HOME/hopscribe" HOPSCRIBE_EPHEMERAL=1
fi
exec hopscribe serve
