"""Architectures: one file each, stating the layer and the laws that follow."""

from asympt.networks.block_resnet import BlockResNet
from asympt.networks.conv_resnet import ConvResNet
from asympt.networks.convnet import ConvNet
from asympt.networks.feedforward import FeedForward
from asympt.networks.mlp import MLP
from asympt.networks.resnet import ResNet
from asympt.networks.scaled_resnet import ScaledResNet

__all__ = ["MLP", "BlockResNet", "ConvNet", "ConvResNet", "FeedForward", "ResNet", "ScaledResNet"]
